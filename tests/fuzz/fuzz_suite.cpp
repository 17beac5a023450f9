// The bytes are a suite: read as one, or refused by an exception of ours.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <nonzero/error.hpp>

#include "lab/bench/suite.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static const std::string file = [] {
    std::string folder = (std::filesystem::temp_directory_path() / "nonzero-fuzz-XXXXXX").string();
    if (!mkdtemp(folder.data())) std::abort();
    return folder + "/suite.json";
  }();
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  for (const char* scale : {"large", "small"}) try {
      (void)nz::lab::read_suite(file, scale);
    } catch (const nz::Error&) {
    }
  return 0;
}
