#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

// Documents and comments name files and folders that are there.
namespace {

namespace fs = std::filesystem;
const fs::path root = NZ_SOURCE_DIR;

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

bool ends_in(const fs::path& path, std::initializer_list<const char*> endings) {
  return std::any_of(endings.begin(), endings.end(),
                     [&](const char* e) { return path.extension() == e; });
}

std::vector<std::string> files_in(const std::vector<std::string>& folders) {
  std::vector<std::string> all;
  for (const std::string& folder : folders)
    for (const auto& entry : fs::recursive_directory_iterator(root / folder))
      if (entry.is_regular_file()) all.push_back(fs::relative(entry.path(), root).generic_string());
  return all;
}

// Every ending of every path, so that "csr/balanced.cpp" is found as well as the whole.
std::set<std::string> known_names() {
  std::set<std::string> all;
  for (std::string name : files_in({"src", "include", "lab", "cli", "tests", "tools", "examples",
                                    "scripts", "cmake", "python", "fortran", "packaging"}))
    for (;;) {
      all.insert(name);
      const auto slash = name.find('/');
      if (slash == name.npos) break;
      name.erase(0, slash + 1);
    }
  return all;
}

// The first source that a line names and that is not there; capitals stand for a name to be given.
std::string missing(const std::string& line, const std::set<std::string>& known) {
  static const std::regex source(R"re([\w./-]+\.(?:cpp|hpp|cuh?|f90|sh|py|cmake)\b)re");
  if (line.find('.') == line.npos) return "";
  for (std::sregex_iterator m(line.begin(), line.end(), source), end; m != end; ++m) {
    std::string name = m->str();
    if (name.starts_with("../")) name.erase(0, 3);  // a link
    const bool stands_for_one = std::regex_search(name, std::regex("[A-Z]{2}"));
    if (!stands_for_one && !known.contains(name)) return name;
  }
  return "";
}

TEST(Names, AreSeen) {
  const std::set<std::string> known = {"csr/balanced.cpp", "balanced.cpp"};
  EXPECT_EQ(missing("as in csr/balanced.cpp, and balanced.cpp.", known), "");
  EXPECT_EQ(missing("write FORMAT_STRATEGY.cpp", known), "");
  EXPECT_EQ(missing("as in `csr_balanced.cpp`", known), "csr_balanced.cpp");
  EXPECT_EQ(missing("as in coo/balanced.cpp", known), "coo/balanced.cpp");
}

TEST(Names, OfSourcesInDocuments) {
  const auto known = known_names();
  std::vector<std::string> pages = files_in({"docs"});
  pages.insert(pages.end(), {"README.md", "CONTRIBUTING.md"});
  int seen = 0;
  for (const std::string& page : pages) {
    if (!page.ends_with(".md")) continue;
    ++seen;
    std::istringstream in(read(root / page));
    int number = 0;
    for (std::string line; std::getline(in, line);) {
      ++number;
      EXPECT_EQ(missing(line, known), "") << page << ':' << number;
    }
  }
  EXPECT_GT(seen, 15);
}

TEST(Names, OfSourcesInComments) {
  const auto known = known_names();
  int seen = 0;
  for (const std::string& file : files_in({"src", "include", "lab", "cli"})) {
    if (!ends_in(file, {".cpp", ".hpp", ".cu"})) continue;
    std::istringstream in(read(root / file));
    int number = 0;
    for (std::string line; std::getline(in, line); ++seen) {
      ++number;
      const auto comment = line.find("// ");
      if (comment == line.npos) continue;
      EXPECT_EQ(missing(line.substr(comment), known), "") << file << ':' << number;
    }
  }
  EXPECT_GT(seen, 10'000);
}

// How much faster something was belongs to a record and a document (docs/experiments.md): a comment
// outlives what it was measured with.
TEST(Names, CommentsHaveNoSpeeds) {
  const std::regex speed(R"re(\d times (?:as (?:fast|long)|faster)|\d ?% (?:faster|slower))re");
  EXPECT_TRUE(std::regex_search("1.3 times as fast as others", speed));
  EXPECT_TRUE(std::regex_search("is 5 % slower", speed));
  for (const std::string& file : files_in({"src", "include"})) {
    std::istringstream in(read(root / file));
    for (std::string line; std::getline(in, line);) {
      const auto comment = line.find("// ");
      if (comment == line.npos || line.find_first_of("0123456789") == line.npos) continue;
      EXPECT_FALSE(std::regex_search(line.substr(comment), speed)) << file << ": " << line;
    }
  }
}

// The drawing of docs/architecture.md: the fenced block after "## The folders of src".
std::set<std::string> drawn_folders() {
  const std::string page = read(root / "docs/architecture.md");
  const auto heading = page.find("## The folders of src");
  const auto begin = page.find("```\n", heading), end = page.find("```\n", begin + 4);
  std::set<std::string> all;
  if (heading == page.npos || end == page.npos) return all;
  std::istringstream in(page.substr(begin + 4, end - begin - 4));
  for (std::string line; std::getline(in, line);) {
    const auto behind = line.find_first_of(" #");
    EXPECT_TRUE(all.insert(line.substr(0, behind)).second) << line << " is there twice";
  }
  return all;
}

TEST(Names, TheDrawingOfSrcIsTheTree) {
  std::set<std::string> folders;
  for (const std::string& file : files_in({"src"}))
    if (ends_in(file, {".cpp", ".hpp", ".cu"}))
      folders.insert(fs::path(file).parent_path().generic_string());
  EXPECT_GT(folders.size(), 20u);
  EXPECT_EQ(drawn_folders(), folders);
}

}  // namespace
