#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "house/rules.hpp"

// docs/api.md has every public name, and no other.
namespace {

namespace fs = std::filesystem;
const fs::path root = NZ_SOURCE_DIR;

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// What the page tells of a header: the names in the first column of its table, or, of formats, in
// the second one of the rows from the header's on.
std::map<std::string, std::set<std::string>> told() {
  std::map<std::string, std::set<std::string>> all;
  const std::regex heading(R"re(## `<nonzero/((?:adaptors/)?[a-z_]+\.hpp)>`)re"),
      format(R"re(\| `(formats/[a-z_]+\.hpp)` \|.*)re"), word("`(\\w+)`");
  std::istringstream page(read(root / "docs/api.md"));
  std::string header;
  for (std::string line; std::getline(page, line);) {
    std::smatch m;
    if (std::regex_match(line, m, heading) || std::regex_match(line, m, format)) header = m[1];
    if (line.starts_with("## ") && !std::regex_match(line, heading)) header.clear();
    if (header.empty() || !line.starts_with("| ")) continue;
    const bool is_format = header.starts_with("formats/");
    const auto first = is_format ? line.find(" | ", 1) + 1 : 0;
    const std::string column = line.substr(first, line.find(" | ", first + 1) - first);
    for (std::sregex_iterator w(column.begin(), column.end(), word), end; w != end; ++w)
      EXPECT_TRUE(all[header].insert((*w)[1]).second) << header << ": " << (*w)[1] << " twice";
  }
  return all;
}

TEST(Api, PageHasEveryPublicName) {
  auto page = told();
  std::size_t names = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root / "include/nonzero")) {
    // What C has stands on a page of its own (tests/c/symbols_test.cpp).
    if (!entry.is_regular_file() || entry.path().extension() == ".h") continue;
    const auto header = fs::relative(entry.path(), root / "include/nonzero").generic_string();
    const auto there = nz::house::public_names(read(entry.path()));
    names += there.size();
    EXPECT_EQ(page[header], std::set(there.begin(), there.end())) << header;
    page.erase(header);
  }
  for (const auto& [header, rest] : page) ADD_FAILURE() << "docs/api.md has " << header;
  EXPECT_GT(names, 150u);
}

}  // namespace
