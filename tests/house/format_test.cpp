#include <array>
#include <cstdio>
#include <string>

#include <sys/wait.h>

#include <gtest/gtest.h>

// `make format` leaves the sources as they are.
namespace {

struct Said {
  int code = -1;
  std::string text;
};

Said shell(const std::string& command) {
  Said said;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (!pipe) return said;
  std::array<char, 4096> part;
  while (const std::size_t n = std::fread(part.data(), 1, part.size(), pipe))
    said.text.append(part.data(), n);
  const int status = pclose(pipe);
  if (WIFEXITED(status)) said.code = WEXITSTATUS(status);
  return said;
}

TEST(House, SourcesHaveTheFormThatMakeFormatGives) {
  // Versions differ in what they make of the same style; Debian 12 has this one.
  if (shell("clang-format --version").text.find("version 14.") == std::string::npos)
    GTEST_SKIP() << "clang-format 14 is not here";
  const Said said = shell("cd '" NZ_SOURCE_DIR
                          "' && find src include lab cli tests tools examples python petsc "
                          "-name '*.[ch]pp' -o -name '*.[ch]' -o -name '*.cu' | "
                          "xargs clang-format --dry-run -Werror");
  EXPECT_EQ(said.code, 0) << said.text.substr(0, 2000) << "\nrun `make format`";
}

}  // namespace
