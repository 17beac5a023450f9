#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

// src/c/symbols.txt is what C programs may link with: the header declares it, the library has it,
// and the page of C tells of it.
namespace {

using Names = std::set<std::string>;

std::string read(const std::string& path) {
  std::ifstream in(std::filesystem::path(NZ_SOURCE_DIR) / path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The header of C with those that it includes.
std::string header() {
  return read("include/nonzero/nonzero.h") + read("include/nonzero/c/complex.h") +
         read("include/nonzero/c/eigen.h") + read("include/nonzero/c/wide.h");
}

Names matches(const std::string& text, const char* pattern) {
  Names all;
  const std::regex name(pattern);
  for (std::sregex_iterator m(text.begin(), text.end(), name), end; m != end; ++m)
    all.insert((*m)[1]);
  return all;
}

Names listed() {
  Names all;
  std::istringstream lines(read("src/c/symbols.txt"));
  for (std::string line; std::getline(lines, line);) all.insert(line);
  return all;
}

TEST(Symbols, AreThoseOfTheHeader) {
  const Names declared = matches(header(), R"re(NZ_C_API [^;(]*?\b(nz_\w+)\()re");
  EXPECT_GT(declared.size(), 50u);
  EXPECT_EQ(declared, listed());
}

TEST(Symbols, AreThoseOfTheLibrary) {
  FILE* pipe = popen(NZ_NM " -g --defined-only '" NZ_LIBRARY "' 2>/dev/null", "r");
  ASSERT_TRUE(pipe);
  std::string text;
  std::array<char, 4096> part;
  while (const std::size_t n = std::fread(part.data(), 1, part.size(), pipe))
    text.append(part.data(), n);
  ASSERT_EQ(pclose(pipe), 0);
  // The expression is slow, and most lines are of C++.
  Names there;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (const auto at = line.find(" T nz_"); at != line.npos) there.insert(line.substr(at + 3));
  EXPECT_EQ(there, listed());
}

// "a_{x,y}_{u,v}" as the four names that it stands for.
Names expanded(const std::string& name) {
  const auto open = name.find('{');
  if (open == name.npos) return {name};
  const auto close = name.find('}', open);
  Names all;
  std::istringstream choices(name.substr(open + 1, close - open - 1));
  for (std::string choice; std::getline(choices, choice, ',');)
    all.merge(expanded(name.substr(0, open) + choice + name.substr(close + 1)));
  return all;
}

TEST(Symbols, AreToldOfOnThePage) {
  const std::string page = read("docs/c-api.md");
  const std::string table = page.substr(std::min(page.find("| functions |"), page.size()));
  Names told;
  for (const std::string& name :
       matches(table.substr(0, table.find("\n\n")), R"re(`(nz_[\w{},]+)`)re"))
    told.merge(expanded(name));
  EXPECT_EQ(told, listed());
}

// What Fortran repeats of the header: functions by name, and constants with their numbers.
TEST(Symbols, OfFortranAreThoseOfC) {
  const Names bound =
      matches(read("fortran/interfaces.inc") + read("fortran/walk_interfaces.inc") +
                  read("fortran/complex_interfaces.inc") + read("fortran/wide_interfaces.inc"),
              R"re(name='(nz_\w+)')re");
  EXPECT_GT(bound.size(), 30u);
  for (const std::string& name : bound) EXPECT_TRUE(listed().contains(name)) << name;
  std::string module = read("fortran/nonzero.f90");
  std::transform(module.begin(), module.end(), module.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  const char* constant = R"re(\b(NZ_[A-Z0-9_]+ = [0-9]+))re";
  Names wanted = matches(header(), constant);
  EXPECT_EQ(wanted.erase("NZ_BORROW = 0") + wanted.erase("NZ_COPY = 1"), 2u);  // it copies
  // Arrays of Fortran lie column by column.
  EXPECT_EQ(wanted.erase("NZ_ROW_MAJOR = 0") + wanted.erase("NZ_COLUMN_MAJOR = 1"), 2u);
  EXPECT_GT(wanted.size(), 20u);
  EXPECT_EQ(matches(module, constant), wanted);
}

TEST(Symbols, AreSorted) {
  const Names names = listed();
  std::string sorted;
  for (const std::string& name : names) sorted += name + "\n";
  EXPECT_EQ(read("src/c/symbols.txt"), sorted);
}

}  // namespace
