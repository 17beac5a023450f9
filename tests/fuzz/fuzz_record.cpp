// The bytes are a record of the bench: read, written and read again as the same, or refused by an
// exception of ours.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <nonzero/error.hpp>

#include "lab/bench/record.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static const std::string folder = [] {
    std::string name = (std::filesystem::temp_directory_path() / "nonzero-fuzz-XXXXXX").string();
    if (!mkdtemp(name.data())) std::abort();
    return name;
  }();
  const std::string first = folder + "/first.json", second = folder + "/second.json";
  std::ofstream(first, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  nz::lab::Record r;
  try {
    r = nz::lab::read_record(first);
  } catch (const nz::Error&) {
    return 0;
  }
  // From here on an exception is a finding.
  nz::lab::write_record(second, r);
  const std::string text = nz::lab::text(r);
  if (nz::lab::text(nz::lab::read_record(second)) != text) std::abort();
  r.compare_with_csr();
  nz::lab::require_same_origin(r, r);
  return 0;
}
