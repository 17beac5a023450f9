#include <nonzero/io.hpp>

#include <new>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "base/no_memory.hpp"
#include "formats/inspect.hpp"
#include "io/mm_write.hpp"
#include "io/npy.hpp"
#include "io/nzb.hpp"

namespace nz {
namespace {

// Errors that name an entry but not the file get the file's name in front.
template <class Write>
void write_with(const std::filesystem::path& path, Write&& write) {
  OutputFile file(path);
  try {
    write(file);
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(fmt::format("{}: {}", path.string(), error.what()));
  } catch (const std::bad_alloc&) {
    throw NoResource(fmt::format("{}: not enough memory to write it", path.string()));
  }
  file.commit();
}

[[noreturn]] void unknown_ending(const std::filesystem::path& path, const char* known) {
  throw InvalidArgument(
      fmt::format("{}: the name's ending is not one of {}", path.string(), known));
}

}  // namespace

template <Value T, Offset O>
void write_matrix(const std::filesystem::path& path, const CsrView<T, O>& a,
                  std::string_view comment, const Progress& progress) try {
  const std::string name = path.filename().string();
  const CsrOrder order = inspect(a);
  if (!order.from_zero || (name.ends_with(".nzb") && !order.rising))
    throw InvalidArgument(fmt::format("{}: {}", path.string(),
                                      order.from_zero
                                          ? ".nzb needs sorted rows; csr_from_arrays() makes them"
                                          : "a slice, whose offsets do not begin with 0"));
  Meter meter(progress, a.bytes());
  if (name.ends_with(".nzb")) {
    if constexpr (ComplexValue<T>)
      throw InvalidArgument(fmt::format("{}: .nzb has no complex values; .mtx has", path.string()));
    else
      write_with(path, [&](OutputFile& file) { write_nzb(file, a, meter); });
  } else if (name.ends_with(".mtx"))
    write_with(path, [&](OutputFile& file) { write_mm(file, a, comment, Packing::none, meter); });
  else if (name.ends_with(".mtx.gz"))
    write_with(path, [&](OutputFile& file) { write_mm(file, a, comment, Packing::gzip, meter); });
  else if (name.ends_with(".mtx.zst"))
    write_with(path, [&](OutputFile& file) { write_mm(file, a, comment, Packing::zstd, meter); });
  else
    unknown_ending(path, ".mtx, .mtx.gz, .mtx.zst, .nzb");
  meter.finish();
}
NZ_OR_NO_MEMORY("writing a matrix")

template <Value T>
void write_vector(const std::filesystem::path& path, std::span<const T> v) try {
  const std::string name = path.filename().string();
  if (name.ends_with(".npy"))
    write_with(path, [&](OutputFile& file) { write_npy(file, v); });
  else if (name.ends_with(".mtx"))
    write_with(path, [&](OutputFile& file) { write_mm_vector(file, v, Packing::none); });
  else if (name.ends_with(".mtx.gz"))
    write_with(path, [&](OutputFile& file) { write_mm_vector(file, v, Packing::gzip); });
  else if (name.ends_with(".mtx.zst"))
    write_with(path, [&](OutputFile& file) { write_mm_vector(file, v, Packing::zstd); });
  else
    unknown_ending(path, ".mtx, .mtx.gz, .mtx.zst, .npy");
}
NZ_OR_NO_MEMORY("writing a vector")

#define NZ_INSTANTIATE(T, O)                                                                       \
  template void write_matrix(const std::filesystem::path&, const CsrView<T, O>&, std::string_view, \
                             const Progress&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)
NZ_FOR_EACH_COMPLEX_OFFSET(NZ_INSTANTIATE)
#define NZ_INSTANTIATE_VALUE(T) \
  template void write_vector(const std::filesystem::path&, std::span<const T>);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE_VALUE)
NZ_FOR_EACH_COMPLEX(NZ_INSTANTIATE_VALUE)

}  // namespace nz
