#include <nonzero/io.hpp>

#include <new>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "io/decompress.hpp"
#include "io/mapped_file.hpp"
#include "io/npy.hpp"
#include "io/read_bytes.hpp"

namespace nz {
namespace {

[[noreturn]] void no_memory(const std::string& name) {
  throw NoResource(fmt::format("{}: not enough memory to read it", name));
}

// Calls read(text, meter) with the text behind the compression, if there is any.
template <class Read>
auto with_text(const NamedText& file, const Progress& progress, Read&& read) {
  const std::uint64_t total = file.bytes.size();
  Meter meter(progress, total);
  try {
    const Packing packing = packing_of(file.bytes);
    std::vector<char> unpacked;
    NamedText text = file;
    if (packing != Packing::none) {
      // Unpacking takes about half of the time.
      meter.begin(total, 0, total / 2);
      unpacked = unpack(file, packing, meter);
      text.bytes = unpacked;
      meter.begin(unpacked.size(), total / 2, total);
    } else {
      meter.begin(total);
    }
    auto result = read(text, meter);
    meter.finish();
    return result;
  } catch (const std::bad_alloc&) {
    no_memory(file.name);
  }
}

}  // namespace

template <Value T, Offset O>
Csr<T, O> read_matrix_bytes(const NamedText& file, const Progress& progress, FileInfo* info,
                            std::size_t piece) {
  FileInfo about;
  about.file_bytes = file.bytes.size();
  auto matrix = with_text(file, progress, [&](const NamedText& text, Meter& meter) {
    return is_nzb(text.bytes) ? read_nzb<T, O>(text, meter, about)
                              : read_mm<T, O>(text, meter, about, piece);
  });
  if (info != nullptr) *info = about;
  return matrix;
}

template <Value T, Offset O>
Csr<T, O> read_matrix(const std::filesystem::path& path, const Progress& progress, FileInfo* info) {
  const MappedFile file(path);
  return read_matrix_bytes<T, O>({path.string(), file.bytes()}, progress, info);
}

template <Value T>
Array<T> read_vector(const std::filesystem::path& path) {
  const MappedFile file(path);
  return with_text({path.string(), file.bytes()}, {}, [&](const NamedText& text, Meter& meter) {
    return is_npy(text.bytes) ? read_npy<T>(text) : read_mm_vector<T>(text, meter, usual_piece);
  });
}

#define NZ_INSTANTIATE(T, O)                                                               \
  template Csr<T, O> read_matrix_bytes<T, O>(const NamedText&, const Progress&, FileInfo*, \
                                             std::size_t);                                 \
  template Csr<T, O> read_matrix<T, O>(const std::filesystem::path&, const Progress&, FileInfo*);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)
#define NZ_INSTANTIATE_VALUE(T) template Array<T> read_vector<T>(const std::filesystem::path&);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE_VALUE)

}  // namespace nz
