#include <algorithm>
#include <array>
#include <cstring>

#include "io/mm_header.hpp"
#include "io/other_files.hpp"
#include "io/read_bytes.hpp"
#include "io/zip.hpp"

namespace nz {
namespace {

bool ends(std::string_view name, std::string_view ending) {
  return name.size() >= ending.size() &&
         std::equal(ending.begin(), ending.end(), name.end() - static_cast<long>(ending.size()),
                    [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? b - 'A' + 'a' : b); });
}

// .rb, .hb, and the three letters of a type: .rua, .psa, .irb.
bool named_as_rutherford_boeing(std::string_view name) {
  if (ends(name, ".rb") || ends(name, ".hb")) return true;
  constexpr std::string_view values = "rpic", symmetries = "ushzr", kinds = "ae";
  for (const char v : values)
    for (const char s : symmetries)
      for (const char k : kinds)
        if (const char ending[] = {'.', v, s, k}; ends(name, {ending, sizeof(ending)})) return true;
  return false;
}

}  // namespace

FileKind kind_of(std::span<const char> head, std::string_view name) {
  const std::string_view text(head.data(), head.size());
  for (const std::string_view packed : {".gz", ".zst"})
    if (ends(name, packed)) name.remove_suffix(packed.size());
  if (is_nzb(head)) return FileKind::nzb;
  if (begins_with_banner(text)) return FileKind::matrix_market;
  if (is_zip(text)) return FileKind::npz;
  if (text.starts_with("\x89HDF\r\n\x1a\n") || text.starts_with("MATLAB 7.3 MAT-file"))
    return FileKind::hdf5;
  if (text.starts_with("MATLAB 5.0 MAT-file") || ends(name, ".mat")) return FileKind::mat;
  if (is_tar(head) || ends(name, ".tar") || ends(name, ".tgz")) return FileKind::tar;
  if (ends(name, ".npz")) return FileKind::npz;
  if (named_as_rutherford_boeing(name) || begins_as_rutherford_boeing(text))
    return FileKind::rutherford_boeing;
  return FileKind::matrix_market;
}

}  // namespace nz
