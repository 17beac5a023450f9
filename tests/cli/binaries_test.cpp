#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/program.hpp"

// What the linker made: where programs look for libraries, and which protections they have.
namespace {

namespace fs = std::filesystem;
using nz::test::has;

// The programs of this build that are there, the one for users first; NZ_INSTALLED names one that
// was installed, which stands in its place.
std::vector<fs::path> programs() {
  if (const char* installed = std::getenv("NZ_INSTALLED")) return {installed};
  std::vector<fs::path> all{NZ_BINARY_DIR "/nonzero"};
  for (const auto& entry : fs::directory_iterator(NZ_BINARY_DIR "/tests"))
    if (entry.is_regular_file() && entry.path().filename().string().starts_with("test_") &&
        !entry.path().has_extension())
      all.push_back(entry.path());
  std::sort(all.begin() + 1, all.end());
  return all;
}

std::string readelf(const std::string& options, const fs::path& program) {
  const std::string command = "LC_ALL=C readelf -W " + options + " '" + program.string() + "' 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) throw std::runtime_error("cannot run readelf");
  std::string text;
  std::array<char, 4096> buffer;
  for (std::size_t n; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    text.append(buffer.data(), n);
  if (pclose(pipe) != 0) throw std::runtime_error(command + ": " + text);
  return text;
}

// The search paths for libraries that `readelf -d` shows, old name and new.
std::vector<std::string> search_paths(const std::string& dynamic) {
  const std::regex line(R"(\((?:RPATH|RUNPATH)\)[^\[\n]*\[([^\n]*)\](?=\n|$))");
  std::vector<std::string> all;
  for (std::sregex_iterator m(dynamic.begin(), dynamic.end(), line), end; m != end; ++m)
    all.push_back((*m)[1]);
  return all;
}

// Every entry must be a fixed place, or one beside the program: all others follow whoever calls it.
bool is_safe(const std::string& path) {
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const std::string entry = path.substr(begin, end - begin);
    if (!entry.starts_with('/') && entry != "$ORIGIN" && !entry.starts_with("$ORIGIN/"))
      return false;
    if (end == path.size()) return true;
    begin = end + 1;
  }
}

TEST(Binaries, ASearchPathWithAnEmptyOrRelativeEntryIsSeen) {
  for (const char* path : {"/usr/local/cuda/lib", "/a:/b", "$ORIGIN", "$ORIGIN/../lib:/b"})
    EXPECT_TRUE(is_safe(path)) << path;
  for (const char* path : {"", ":", "/a:", ":/a", "/a::/b", ".", "/a:.", "./lib", "lib:/a", "..",
                           "$LIB", "$ORIGINAL/lib", " /a", "/a: /b"})
    EXPECT_FALSE(is_safe(path)) << path;
  const std::string text =
      " 0x000000000000000f (RPATH)              Library rpath: [/a:]\n"
      " 0x0000000000000001 (NEEDED)             Shared library: [libz.so.1]\n"
      " 0x000000000000001d (RUNPATH)            Library runpath: []\n";
  EXPECT_EQ(search_paths(text), (std::vector<std::string>{"/a:", ""}));
}

TEST(Binaries, LibrariesAreNeverSearchedForInTheCurrentDirectory) {
  for (const fs::path& program : programs()) {
    const std::string dynamic = readelf("-d", program);
    ASSERT_TRUE(has(dynamic, "(NEEDED)")) << program << "\n" << dynamic;
    for (const std::string& path : search_paths(dynamic))
      EXPECT_TRUE(is_safe(path)) << program << ": [" << path << "]";
  }
}

#if defined(NZ_HARDENED)
// The flags of one line of the table of segments, as "RW " or "RWE".
std::string segment_flags(const std::string& segments, const std::string& name) {
  std::smatch m;
  const std::regex line("\n  " + name + R"re( +(?:0x[0-9a-f]+ +){5}([RWE ]{3}))re");
  return std::regex_search(segments, m, line) ? m[1].str() : "none";
}

TEST(Binaries, ProgramsAreHardened) {
  for (const fs::path& program : programs()) {
    SCOPED_TRACE(program);
    const std::string dynamic = readelf("-d", program), segments = readelf("-l", program);
    EXPECT_TRUE(std::regex_search(dynamic, std::regex(R"(\(FLAGS\)[^\n]*BIND_NOW)")) ||
                std::regex_search(dynamic, std::regex(R"(\(FLAGS_1\)[^\n]*NOW)")))
        << dynamic;
    EXPECT_EQ(segment_flags(segments, "GNU_RELRO"), "R  ");
    EXPECT_EQ(segment_flags(segments, "GNU_STACK"), "RW ");
    EXPECT_EQ(segments.find("RWE"), segments.npos) << segments;
    EXPECT_TRUE(has(readelf("--dyn-syms", program), " __stack_chk_fail@"));
  }
}

TEST(Binaries, TheProgramForUsersIsPositionIndependentWithCheckedCopies) {
  const fs::path program = programs().front();
  EXPECT_TRUE(std::regex_search(readelf("-h", program), std::regex(R"(Type: +DYN )")));
  EXPECT_TRUE(std::regex_search(readelf("-d", program), std::regex(R"(\(FLAGS_1\)[^\n]*PIE)")));
  EXPECT_TRUE(std::regex_search(readelf("--dyn-syms", program), std::regex(R"( __[a-z]+_chk@)")));
}
#endif

}  // namespace
