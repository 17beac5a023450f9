#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <nonzero/version.hpp>

// One number, in all the places that have to name it.
namespace {

std::string first_match(const char* file, const char* pattern) {
  std::ifstream in(std::filesystem::path(NZ_SOURCE_DIR) / file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  std::smatch found;
  const std::string all = text.str();
  return std::regex_search(all, found, std::regex(pattern)) ? found[1].str() : "";
}

TEST(Version, IsTheSameEverywhere) {
  const std::string version(nz::version());
  EXPECT_EQ(version, std::to_string(NZ_VERSION_MAJOR) + '.' + std::to_string(NZ_VERSION_MINOR) +
                         '.' + std::to_string(NZ_VERSION_PATCH));
  EXPECT_EQ(first_match("CMakeLists.txt", "project\\(nonzero VERSION ([0-9.]+)"), version);
  EXPECT_EQ(first_match("CITATION.cff", "\nversion: ([0-9.]+)\n"), version);
  EXPECT_EQ(first_match("CHANGELOG.md", "\n## ([0-9]+\\.[0-9]+\\.[0-9]+)"), version);
}

}  // namespace
