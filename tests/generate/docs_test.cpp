#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nonzero/generate.hpp>

namespace nz {
namespace {

// The line of docs/generators.md whose first cell is `name`.
std::string row_of(std::string_view name) {
  std::ifstream file(NZ_SOURCE_DIR "/docs/generators.md");
  const std::string start = fmt::format("| `{}` |", name);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(start)) return line;
  return "";
}

bool has(const std::string& line, std::string_view text) {
  return line.find(text) != std::string::npos;
}

std::vector<std::string> rows_starting(std::string_view start) {
  std::ifstream file(NZ_SOURCE_DIR "/docs/generators.md");
  std::vector<std::string> rows;
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(start)) rows.push_back(line);
  return rows;
}

TEST(Docs, ShowEveryFamilyAndItsSettings) {
  for (const Family& f : families()) {
    const std::string row = row_of(f.name);
    ASSERT_FALSE(row.empty()) << f.name;
    EXPECT_TRUE(has(row, f.summary)) << f.name;
    EXPECT_TRUE(has(row, f.source)) << f.name;
    EXPECT_TRUE(has(row, f.example)) << f.name;
    for (const Setting& s : f.settings)
      EXPECT_TRUE(has(row, fmt::format("`{}` {} (", s.name, s.summary))) << f.name << ' ' << s.name;
  }
}

// `block-band` names both a family and a matrix: look among all rows.
TEST(Docs, ShowEveryNamedMatrixAndWhetherItIsExact) {
  for (const NamedMatrix& m : named_matrices()) {
    const std::string start =
        fmt::format("| `{}` | {} | {} |", m.name, m.exact ? "exact" : "stand-in", m.papers);
    EXPECT_EQ(rows_starting(start).size(), 1u) << start;
  }
  EXPECT_EQ(rows_starting("| `").size(), families().size() + named_matrices().size());
}

}  // namespace
}  // namespace nz
