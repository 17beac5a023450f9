// Whatever the bytes are: a matrix that is sound, or an exception of ours, also by the names of
// other programs' files. Checksums of zip members and tar headers would stop nearly every input at
// once, so they are put right first: what lies behind them is tried, too.
#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "io/graph_files.hpp"
#include "io/read_bytes.hpp"

namespace {

template <class T, class O>
void read(const std::string& bytes, const char* name) {
  nz::Csr<T, O> a;
  try {
    a = nz::read_matrix_bytes<T, O>({name, {bytes.data(), bytes.size()}});
  } catch (const nz::Error&) {
    return;
  }
  a.validate();  // an exception that nobody catches is a finding
}

void both(const std::string& bytes, const char* name) {
  read<double, std::int32_t>(bytes, name);
  read<float, std::int64_t>(bytes, name);
}

// Texts of graphs are told by who names them, not by what they are.
void graphs(const std::string& bytes) {
  const nz::MemorySource file("fuzz", {bytes.data(), bytes.size()});
  for (const bool metis : {false, true}) {
    nz::Csr<double, std::int64_t> a;
    bool from_zero = false;
    try {
      a = metis ? nz::read_metis(file, {}) : nz::read_edge_list(file, {}, from_zero);
    } catch (const nz::Error&) {
      continue;
    }
    a.validate();
  }
}

std::size_t little(const std::string& bytes, std::size_t at, int n) {
  std::size_t v = 0;
  for (int k = n; k-- > 0;)
    v = v << 8 | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(k)]);
  return v;
}

// Of stored members; those that are deflated have one of their own, mutated ones stay as they are.
bool put_zip_right(std::string& bytes) {
  bool changed = false;
  const std::string magic = "PK\1\2";
  for (std::size_t at = bytes.find(magic); at != std::string::npos;
       at = bytes.find(magic, at + 4)) {
    if (bytes.size() - at < 46) break;
    const std::size_t local = little(bytes, at + 42, 4), size = little(bytes, at + 20, 4);
    if (local > bytes.size() || bytes.size() - local < 30) continue;
    const std::size_t begin =
        local + 30 + little(bytes, local + 26, 2) + little(bytes, local + 28, 2);
    if (begin > bytes.size() || bytes.size() - begin < size) continue;
    const auto sum = static_cast<std::uint32_t>(
        crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data() + begin), size));
    std::memcpy(bytes.data() + at + 16, &sum, 4);
    changed = true;
  }
  return changed;
}

bool put_tar_right(std::string& bytes) {
  if (bytes.size() < 512 || bytes.compare(257, 5, "ustar") != 0) return false;
  for (std::size_t at = 0; at + 512 <= bytes.size(); at += 512) {
    if (bytes.compare(at + 257, 5, "ustar") != 0) continue;
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at + 148), 8, ' ');
    unsigned sum = 0;
    for (std::size_t k = 0; k < 512; ++k) sum += static_cast<unsigned char>(bytes[at + k]);
    bytes.replace(at + 148, 6, fmt::format("{:06o}", sum));
    bytes[at + 154] = '\0';
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  both(bytes, "fuzz");
  graphs(bytes);
  if (bytes.starts_with("PK")) {
    if (put_zip_right(bytes)) both(bytes, "fuzz");
  } else if (put_tar_right(bytes)) {
    both(bytes, "fuzz");
  } else if (size >= 128 && bytes.compare(0, 6, "MATLAB") == 0) {
    bytes.replace(124, 4, std::string("\0\1IM", 4));
    both(bytes, "fuzz");
  } else {
    both(bytes, "fuzz.rb");
  }
  return 0;
}
