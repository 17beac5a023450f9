#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

// A shared library shows what public headers have: each namespace says so, and so does each
// function template that is instantiated in a source file, because compilers do not take that from
// the namespace. What such a template is instantiated for is what its header lets in.
namespace {

namespace fs = std::filesystem;

std::vector<std::string> lines_of(const fs::path& file) {
  std::vector<std::string> all;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

std::string text_of(const fs::path& file) {
  std::string all;
  for (const std::string& line : lines_of(file)) all += line + '\n';
  return all;
}

bool begins_with_one_of(const std::string& line, const std::vector<std::string>& words) {
  for (const std::string& word : words)
    if (line.starts_with(word)) return true;
  return false;
}

TEST(Exports, PublicHeadersSayThem) {
  int namespaces = 0, templates = 0;
  for (const auto& entry :
       fs::recursive_directory_iterator(fs::path(NZ_SOURCE_DIR) / "include/nonzero")) {
    if (!entry.is_regular_file()) continue;
    const std::vector<std::string> lines = lines_of(entry.path());
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::string where = entry.path().filename().string() + ':' + std::to_string(i + 1);
      if (lines[i].starts_with("namespace ") && lines[i].find("nz") != std::string::npos) {
        EXPECT_EQ(lines[i], "namespace NZ_API nz {") << where;
        ++namespaces;
      }
      if (!lines[i].starts_with("template <") || i + 1 == lines.size()) continue;
      if (begins_with_one_of(lines[i + 1], {"struct ", "class ", "using ", "concept ", "inline ",
                                            "constexpr ", "requires "}))
        continue;
      std::string declaration;
      for (std::size_t j = i + 1; j < lines.size(); ++j) {
        declaration += lines[j];
        if (declaration.ends_with(';') || declaration.ends_with('{')) break;
      }
      if (declaration.ends_with('{')) continue;  // defined here
      // Neither guides for the compiler nor what is not there are functions.
      if (declaration.find(") -> ") != declaration.npos || declaration.ends_with("= delete;"))
        continue;
      EXPECT_TRUE(declaration.starts_with("NZ_API ")) << where << ": " << declaration;
      ++templates;
    }
  }
  EXPECT_GT(namespaces, 20);
  EXPECT_GT(templates, 40);
}

// A format's header lets the compiler refuse complex values where its source does not compile for
// them, so that nobody meets the linker.
TEST(Exports, FormatsSayWhetherTheyHaveComplexNumbers) {
  const fs::path root(NZ_SOURCE_DIR);
  int formats = 0, complex = 0;
  for (const auto& entry : fs::directory_iterator(root / "include/nonzero/formats")) {
    const std::string header = text_of(entry.path());
    if (header.find("_from_csr(") == header.npos) continue;
    const std::string source =
        text_of(root / "src/formats" / entry.path().filename().replace_extension(".cpp"));
    const bool taken = header.find("<Value T") != header.npos ||
                       header.find(", Value T") != header.npos,
               compiled = source.find("NZ_FOR_EACH_COMPLEX") != source.npos;
    EXPECT_EQ(taken, compiled) << entry.path();
    ++formats;
    complex += taken;
  }
  EXPECT_GT(formats, 10);
  EXPECT_GT(complex, 2);
  EXPECT_LT(complex, formats);
}

}  // namespace
