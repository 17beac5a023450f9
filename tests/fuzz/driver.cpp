// Runs a fuzz target through a corpus, for compilers that have no libFuzzer: fuzz_NAME
// FILE_OR_FOLDER...
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size);

namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<unsigned char>;

// Into memory of exactly that length, so that steps beyond its end are seen.
Bytes read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  const Bytes grown{std::istreambuf_iterator<char>(in), {}};
  return {grown.begin(), grown.end()};
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<fs::path> files;
  for (int i = 1; i < argc; ++i) {
    const std::string_view a = argv[i];
    if (fs::is_directory(a)) {
      for (const auto& e : fs::directory_iterator(a)) files.push_back(e.path());
    } else if (fs::is_regular_file(a)) {
      files.emplace_back(a);
    } else {
      std::cerr << a << ": no file\n";
      return 2;
    }
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    const Bytes input = read(file);
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  std::cout << files.size() << " inputs of the corpus" << std::endl;
  return files.empty();
}
