#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "house/rules.hpp"

// The rules of docs/architecture.md, checked against the tree.
namespace {

namespace fs = std::filesystem;
const fs::path root = NZ_SOURCE_DIR;

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

bool is_source(const fs::path& p) {
  const auto e = p.extension();
  return e == ".cpp" || e == ".hpp" || e == ".h" || e == ".cu" || e == ".cuh";
}

std::vector<fs::path> sources(const std::vector<std::string>& folders) {
  std::vector<fs::path> all;
  for (const auto& folder : folders)
    for (const auto& entry : fs::recursive_directory_iterator(root / folder))
      if (entry.is_regular_file() && is_source(entry.path()))
        all.push_back(fs::relative(entry.path(), root));
  std::sort(all.begin(), all.end());
  return all;
}

// The drawing: the fenced block after "## The layers", one room a line, top first, each a folder
// followed by the public headers that belong to it.
std::vector<std::vector<std::string>> drawing() {
  std::vector<std::vector<std::string>> rooms;
  bool found = false, inside = false;
  for (const std::string& line : lines(read(root / "docs/architecture.md"))) {
    if (line == "## The layers") found = true;
    if (!found) continue;
    if (line.starts_with("```")) {
      if (inside) break;
      inside = true;
    } else if (inside) {
      std::istringstream words(line.substr(0, line.find('#')));
      std::vector<std::string> room;
      for (std::string word; words >> word;) room.push_back(word);
      if (!room.empty()) rooms.push_back(room);
    }
  }
  return rooms;
}

// The line of the drawing that a file stands on; the longest matching path wins.
std::optional<int> level(const std::vector<std::vector<std::string>>& rooms, const fs::path& file) {
  std::optional<int> best;
  std::size_t length = 0;
  for (std::size_t r = 0; r < rooms.size(); ++r)
    for (const std::string& prefix : rooms[r])
      if (prefix.size() > length && file.generic_string().starts_with(prefix)) {
        best = static_cast<int>(r);
        length = prefix.size();
      }
  return best;
}

std::optional<fs::path> resolve(const fs::path& from, const std::string& name) {
  for (const fs::path& base :
       {from.parent_path(), fs::path("src"), fs::path(""), fs::path("include")})
    if (fs::exists(root / base / name)) return (base / name).lexically_normal();
  return std::nullopt;
}

const std::vector<std::string> house = {"cli", "lab", "src", "include"};

TEST(House, IncludesPointDownward) {
  const auto rooms = drawing();
  ASSERT_GE(rooms.size(), 8u) << "docs/architecture.md has lost its drawing";
  const std::regex include(R"re(^\s*#\s*include\s*([<"])([^>"]+)[>"])re");
  int checked = 0;
  for (const fs::path& file : sources(house)) {
    const auto here = level(rooms, file);
    EXPECT_TRUE(here) << file << " stands nowhere in the drawing";
    if (!here) continue;
    for (const std::string& line : lines(read(root / file))) {
      std::smatch m;
      if (!std::regex_search(line, m, include)) continue;
      const bool quoted = m[1] == "\"";
      if (!quoted && !m[2].str().starts_with("nonzero/")) continue;
      const auto target = resolve(file, m[2]);
      EXPECT_TRUE(target) << file << " includes " << m[2] << ", which is not here";
      if (!target) continue;
      const auto there = level(rooms, *target);
      EXPECT_TRUE(there && *there >= *here)
          << file << " includes " << *target << ", which is above it";
      ++checked;
    }
  }
  EXPECT_GT(checked, 100);
}

TEST(House, TheDrawingNamesOnlyWhatExists) {
  for (const auto& room : drawing())
    for (const std::string& path : room) EXPECT_TRUE(fs::exists(root / path)) << path;
}

TEST(House, FilesStayShort) {
  for (const fs::path& file : sources({"cli", "lab", "src", "include", "tests"}))
    EXPECT_LE(lines(read(root / file)).size(), 500u) << file;
}

TEST(House, ThreadsComeThroughOneDoor) {
  for (const fs::path& file : sources(house)) {
    if (file == "src/base/parallel.hpp" || file == "src/base/team_size.cpp" ||
        file.generic_string().starts_with("src/kernels/"))
      continue;
    EXPECT_EQ(nz::house::starts_threads(read(root / file)), "") << file;
  }
  EXPECT_NE(nz::house::starts_threads(read(root / "src/base/parallel.hpp")), "");
}

TEST(House, TheLibraryNeverPrintsOrExits) {
  const auto all = sources({"src", "include"});
  EXPECT_GT(all.size(), 200u);
  for (const fs::path& file : all)
    EXPECT_EQ(nz::house::prints_or_exits(read(root / file)), "") << file;
  // The program does: a scan that finds nothing there finds nothing anywhere.
  EXPECT_NE(nz::house::prints_or_exits(read(root / "cli/terminal.cpp")), "");
}

TEST(House, PublicHeadersKeepCudaAndPrivateHeadersOut) {
  const auto all = sources({"include"});
  EXPECT_GT(all.size(), 20u);
  for (const fs::path& file : all) {
    std::string library;  // adaptors/eigen.hpp is for Eigen
    if (file.parent_path().filename() == "adaptors") {
      library = file.stem().string();
      library[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(library[0])));
    }
    EXPECT_EQ(nz::house::includes_what_users_lack(read(root / file), library), "") << file;
  }
}

// What no rule reads must not be source: every file with another ending is data or text.
TEST(House, EverySourceIsSeen) {
  for (const std::string& folder : house)
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string ending = entry.path().extension().string();
      for (const char* source : {".c", ".cc", ".cxx", ".hh", ".hxx", ".ipp", ".tpp", ".inl"})
        EXPECT_NE(ending, source) << entry.path();
    }
}

}  // namespace
