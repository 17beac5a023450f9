#include <nonzero/io.hpp>

#include <algorithm>
#include <new>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "base/no_memory.hpp"
#include "io/mm_pieces.hpp"
#include "io/npy.hpp"
#include "io/read_bytes.hpp"

namespace nz {
namespace {

[[noreturn]] void no_memory(const std::string& name) {
  throw NoResource(fmt::format("{}: not enough memory to read it", name));
}

// The first bytes that a stream has, enough to tell formats apart.
struct Head {
  char bytes[8];
  std::size_t size;
  std::span<const char> all() const { return {bytes, size}; }
};

Head head_of(const std::unique_ptr<ByteStream>& stream) {
  Head head;
  head.size = stream->read(head.bytes, sizeof(head.bytes));
  return head;
}

// Calls binary(source, meter) when what stands behind the compression is_binary, text(mm, meter)
// otherwise.
template <class IsBinary, class Binary, class Text>
auto with_format(const Source& file, const ReadOptions& options, std::size_t piece,
                 IsBinary&& is_binary, Binary&& binary, Text&& text) {
  Meter meter(options.progress, file.size());
  meter.begin(file.size());
  Budget budget(file.size(), options.memory_limit);
  try {
    const Packing packing = packing_of(head_of(open_stream(file, budget, Packing::none)).all());
    const bool found = is_binary(head_of(open_stream(file, budget, packing)).all());
    auto result = [&] {
      if (found && packing == Packing::none) return binary(file, budget, meter);
      if (found) {
        // Arrays are read by position, so they are unpacked as a whole.
        const auto stream = open_stream(file, budget, packing);
        return binary(UnpackedSource(*stream, file, budget), budget, meter);
      }
      try {
        MmText mm(file, budget, packing, piece);
        return text(mm, meter);
      } catch (const BadText&) {
        // Broken compression makes broken text, and is the better thing to say.
        if (packing != Packing::none) drain(*open_stream(file, budget, packing));
        throw;
      }
    }();
    meter.finish();
    return result;
  } catch (const std::bad_alloc&) {
    no_memory(file.name());
  }
}

}  // namespace

template <Value T, Offset O>
Csr<T, O> read_matrix_source(const Source& file, const ReadOptions& options, std::size_t piece) {
  FileInfo about;
  about.file_bytes = file.size();
  auto matrix = with_format(
      file, options, piece, is_nzb,
      [&](const Source& nzb, const Budget& budget, Meter& meter) {
        return read_nzb<T, O>(nzb, budget, meter, about);
      },
      [&](MmText& mm, Meter& meter) { return read_mm<T, O>(mm, meter, about); });
  if (options.info != nullptr) *options.info = about;
  return matrix;
}

template <Value T>
Array<T> read_vector_source(const Source& file, const ReadOptions& options, std::size_t piece) {
  return with_format(
      file, options, piece, is_npy,
      [&](const Source& npy, const Budget& budget, Meter&) { return read_npy<T>(npy, budget); },
      [&](MmText& mm, Meter& meter) { return read_mm_vector<T>(mm, meter); });
}

template <Value T, Offset O>
Csr<T, O> read_matrix(const std::filesystem::path& path, const ReadOptions& options) try {
  return read_matrix_source<T, O>(FileSource(path), options);
}
NZ_OR_NO_MEMORY("reading a matrix")

template <Value T>
Array<T> read_vector(const std::filesystem::path& path, const ReadOptions& options) try {
  return read_vector_source<T>(FileSource(path), options);
}
NZ_OR_NO_MEMORY("reading a vector")

#define NZ_INSTANTIATE(T, O)                                                                   \
  template Csr<T, O> read_matrix_source<T, O>(const Source&, const ReadOptions&, std::size_t); \
  template Csr<T, O> read_matrix<T, O>(const std::filesystem::path&, const ReadOptions&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)
#define NZ_INSTANTIATE_VALUE(T)                                                            \
  template Array<T> read_vector_source<T>(const Source&, const ReadOptions&, std::size_t); \
  template Array<T> read_vector<T>(const std::filesystem::path&, const ReadOptions&);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE_VALUE)

}  // namespace nz
