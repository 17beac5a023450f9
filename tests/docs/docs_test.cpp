#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

// What the documents say is what the project does.
namespace {

namespace fs = std::filesystem;
const fs::path root = NZ_SOURCE_DIR;
const std::string program = NZ_BINARY_DIR "/nonzero";

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

struct Result {
  int code;
  std::string output;
};

Result shell(const std::string& command) {
  Result r{-1, ""};
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return r;
  std::array<char, 4096> part;
  while (const std::size_t n = std::fread(part.data(), 1, part.size(), pipe))
    r.output.append(part.data(), n);
  const int status = pclose(pipe);
  r.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return r;
}

// The fenced blocks of a page that are marked with `language`.
std::vector<std::string> blocks(const fs::path& page, const std::string& language) {
  std::vector<std::string> all;
  std::istringstream in(read(page));
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (inside && line == "```") {
      inside = false;
    } else if (inside) {
      all.back() += line + "\n";
    } else if (line == "```" + language) {
      inside = true;
      all.emplace_back();
    }
  }
  return all;
}

// What a newcomer reads to the end.
TEST(Docs, ReadmeIsShort) {
  const std::string text = read(root / "README.md");
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 120);
}

TEST(Docs, KernelsPageHasTheKernelsOfTheRegistry) {
  const Result table = shell(program + " list --markdown");
  ASSERT_EQ(table.code, 0);
  ASSERT_GT(table.output.size(), 500u);
  EXPECT_NE(read(root / "docs/kernels.md").find(table.output), std::string::npos)
      << "paste the output of `nonzero list --markdown` into docs/kernels.md:\n"
      << table.output;
}

// Kernels whose source is the publication of a method, "NAME: authors and year".
TEST(Docs, CitedMethodsHaveARowEach) {
  const std::string page = read(root / "docs/papers/cited.md");
  const std::regex entry(
      "\\| (`[a-z]+/[a-z0-9/-]+`) \\|.*\\| [A-Za-z0-9-]+: [^|]+ 20[0-9]{2} \\|.*");
  std::istringstream table(read(root / "docs/kernels.md"));
  int rows = 0;
  std::smatch found;
  for (std::string line; std::getline(table, line);) {
    if (!std::regex_match(line, found, entry)) continue;
    ++rows;
    const std::size_t at = page.find("| " + found[1].str());
    ASSERT_NE(at, page.npos) << line;
    EXPECT_EQ(page[page.rfind('\n', at) + 1], '|') << line;
  }
  EXPECT_GE(rows, 8);
}

TEST(Docs, ReadmeShowsTheExampleThatIsCompiled) {
  const auto code = blocks(root / "README.md", "cpp");
  ASSERT_EQ(code.size(), 1u);
  EXPECT_EQ(code[0], read(root / "examples/first.cpp"));
  EXPECT_LE(std::count(code[0].begin(), code[0].end(), '\n'), 12);
}

TEST(Docs, GpuPageShowsTheExampleThatIsCompiled) {
  const auto code = blocks(root / "docs/gpu.md", "cpp");
  ASSERT_EQ(code.size(), 1u);
  EXPECT_EQ(code[0], read(root / "examples/gpu.cpp"));
}

TEST(Docs, PlansPageShowsTheExampleThatIsCompiled) {
  const auto code = blocks(root / "docs/plans.md", "cpp");
  ASSERT_EQ(code.size(), 1u);
  EXPECT_EQ(code[0], read(root / "examples/plan.cpp"));
}

TEST(Docs, TutorialsShowTheExamplesThatAreCompiled) {
  const auto code = blocks(root / "docs/tutorials.md", "cpp");
  ASSERT_EQ(code.size(), 5u);
  EXPECT_EQ(code[0], read(root / "examples/own_arrays.cpp"));
  EXPECT_EQ(code[1], read(root / "examples/new_values.cpp"));
  EXPECT_EQ(code[2], read(root / "examples/streams.cpp"));
  EXPECT_EQ(code[3], read(root / "examples/views.cpp"));
  EXPECT_EQ(code[4], read(root / "examples/eigen_cg.cpp"));
}

TEST(Docs, SolversPageShowsTheExampleThatIsCompiled) {
  const auto code = blocks(root / "docs/solvers.md", "cpp");
  ASSERT_EQ(code.size(), 2u);  // the first one is a few lines of a program
  EXPECT_EQ(code[1], read(root / "examples/matrix_free.cpp"));
}

TEST(Docs, ApiPageShowsTheExampleThatIsCompiled) {
  const auto code = blocks(root / "docs/api.md", "cpp");
  ASSERT_EQ(code.size(), 1u);
  EXPECT_EQ(code[0], read(root / "examples/formats.cpp"));
}

TEST(Docs, PageOfCShowsTheExamplesThatAreCompiled) {
  const auto c = blocks(root / "docs/c-api.md", "c");
  ASSERT_EQ(c.size(), 1u);
  EXPECT_EQ(c[0], read(root / "examples/c_cg.c"));
  const auto fortran = blocks(root / "docs/c-api.md", "fortran");
  ASSERT_EQ(fortran.size(), 1u);
  EXPECT_EQ(fortran[0], read(root / "examples/fortran_multiply.f90"));
}

TEST(Docs, InstallPageListsThePackages) {
  const std::string page = read(root / "docs/install.md");
  std::istringstream list(read(root / "scripts/packages.txt"));
  int packages = 0;
  for (std::string line; std::getline(list, line);) {
    if (line.starts_with("#")) continue;
    const std::string name = line.substr(0, line.find(' '));
    EXPECT_NE(page.find("`" + name + "`"), std::string::npos) << name;
    ++packages;
  }
  EXPECT_GT(packages, 8);
  const auto named =
      std::regex("^\\| `([^`]+)` \\| (build|test|adaptors|peers|coverage|python|petsc|arm) \\|$");
  std::istringstream rows(page);
  int shown = 0;
  for (std::string line; std::getline(rows, line);) shown += std::regex_search(line, named);
  EXPECT_EQ(shown, packages) << "docs/install.md lists a package that is not in packages.txt";
}

// The pages that a visitor sees first, and all of docs/.
std::vector<fs::path> pages() {
  std::vector<fs::path> all = {root / "README.md", root / "CONTRIBUTING.md", root / "CHANGELOG.md"};
  for (const auto& entry : fs::recursive_directory_iterator(root / "docs"))
    if (entry.path().extension() == ".md") all.push_back(entry.path());
  return all;
}

// Every line of a ```sh block that calls the program is run, page by page, in an empty folder.
TEST(Docs, CommandsWork) {
  const Result devices = shell(program + " devices --json -");
  ASSERT_EQ(devices.code, 0);
  const bool emulator = devices.output.find("\"emu\"") != std::string::npos;
  int ran = 0;
  for (const fs::path& page : pages()) {
    const fs::path folder =
        fs::temp_directory_path() / ("nonzero-docs-" + std::to_string(getpid()));
    fs::create_directory(folder);
    for (const std::string& block : blocks(page, "sh")) {
      std::istringstream in(block);
      for (std::string line; std::getline(in, line);) {
        if (!line.starts_with("nonzero ")) continue;
        if (line.find("--device emu") != line.npos && !emulator) continue;
        const std::string command =
            "cd '" + folder.string() + "' && PATH='" NZ_BINARY_DIR "':$PATH && " + line;
        const Result r = shell("{ " + command + "\n} 2>&1");
        EXPECT_EQ(r.code, 0) << page.filename() << ": " << line << "\n" << r.output;
        ++ran;
      }
    }
    fs::remove_all(folder);
  }
  EXPECT_GT(ran, 5);
}

// The anchors that a page's headings make: small letters, digits and hyphens for spaces.
std::set<std::string> anchors(const std::string& text) {
  std::set<std::string> all;
  std::istringstream in(text);
  bool code = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```")) code = !code;
    const auto begin = line.find_first_not_of('#');
    if (code || begin == 0 || begin == line.npos || line[begin] != ' ') continue;
    std::string anchor;
    for (const char c : line.substr(begin + 1))
      if (c == ' ')
        anchor += '-';
      else if (std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || (c & 0x80))
        anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    all.insert(anchor);
  }
  return all;
}

// The page and the anchor of every link that stays in the house.
TEST(Docs, LinksLeadSomewhere) {
  const std::regex link(R"re(\]\(([^)#:\s]*)(#[^)\s]*)?\))re");
  int checked = 0, anchored = 0;
  for (const fs::path& page : pages()) {
    const std::string text = read(page);
    for (std::sregex_iterator it(text.begin(), text.end(), link), end; it != end; ++it) {
      const std::string to = (*it)[1], anchor = (*it)[2];
      const fs::path target = to.empty() ? page : page.parent_path() / to;
      EXPECT_TRUE(fs::exists(target)) << page << ": " << to;
      ++checked;
      if (anchor.empty() || !fs::exists(target)) continue;
      EXPECT_TRUE(anchors(read(target)).contains(anchor.substr(1))) << page << ": " << to << anchor;
      ++anchored;
    }
  }
  EXPECT_GT(checked, 30);
  EXPECT_GT(anchored, 3);
}

}  // namespace
