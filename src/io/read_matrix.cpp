#include <nonzero/io.hpp>

#include <algorithm>
#include <new>
#include <type_traits>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "base/no_memory.hpp"
#include "io/graph_files.hpp"
#include "io/mm_pieces.hpp"
#include "io/npy.hpp"
#include "io/other_files.hpp"
#include "io/read_bytes.hpp"

namespace nz {
namespace {

[[noreturn]] void no_memory(const std::string& name) {
  throw NoResource(fmt::format("{}: not enough memory to read it", name));
}

// The first bytes that a stream has, enough to tell formats apart.
struct Head {
  char bytes[head_bytes];
  std::size_t size;
  std::span<const char> all() const { return {bytes, size}; }
};

Head head_of(const std::unique_ptr<ByteStream>& stream) {
  Head head;
  head.size = stream->read(head.bytes, sizeof(head.bytes));
  return head;
}

// A file that is read: how it is packed, what it may cost, whom to tell.
struct Reading {
  const Source& file;
  std::size_t piece;
  Budget budget;
  Meter meter;
  bool allow_nan;
  Packing packing = Packing::none;

  Reading(const Source& from, const ReadOptions& options, std::size_t piece_bytes)
      : file(from),
        piece(piece_bytes),
        budget(from.size(), options.memory_limit),
        meter(options.progress, from.size()),
        allow_nan(options.allow_nan) {
    meter.begin(file.size());
  }

  // read(head), where head is what stands behind the compression.
  template <class Read>
  auto with_head(Read&& read) {
    try {
      packing = packing_of(head_of(open_stream(file, budget, Packing::none)).all());
      auto result = read(head_of(open_stream(file, budget, packing)).all());
      meter.finish();
      return result;
    } catch (const std::bad_alloc&) {
      no_memory(file.name());
    }
  }

  // Arrays are read by position, so they are unpacked as a whole.
  template <class Read>
  auto binary(Read&& read) {
    if (packing == Packing::none) return read(file);
    const auto stream = open_stream(file, budget, packing);
    return read(UnpackedSource(*stream, file, budget));
  }

  template <class Read>
  auto text(Read&& read) {
    try {
      return read();
    } catch (const BadText&) {
      // Broken compression makes broken text, and is the better thing to say.
      if (packing != Packing::none) drain(*open_stream(file, budget, packing));
      throw;
    }
  }
};

// Files that have real values alone. read(T) reads those.
template <Value T, class Read>
auto read_real(Read&& read) {
  if constexpr (ComplexValue<T>) {
    const auto real = read(real_of<T>{});
    using O = typename decltype(real.view())::offset_type;
    return csr_cast<T, O>(real.view());
  } else {
    return read(T{});
  }
}

template <Value T, Offset O>
Csr<T, O> read_text(Reading& in, FileKind kind, const Member& member, FileInfo& about) {
  return in.text([&]() -> Csr<T, O> {
    if (kind == FileKind::rutherford_boeing) {
      const std::string name =
          member.name.empty() ? in.file.name() : fmt::format("{}: {}", in.file.name(), member.name);
      const auto stream = open_stream(in.file, in.budget, in.packing, member);
      return read_real<T>([&]<class R>(R) {
        return read_rutherford_boeing<R, O>(name, *stream, in.budget, in.allow_nan, in.meter,
                                            about);
      });
    }
    MmText mm(in.file, in.budget, in.packing, in.piece, member);
    mm.allow_nan = in.allow_nan;
    return read_mm<T, O>(mm, in.meter, about);
  });
}

}  // namespace

template <Value T, Offset O>
Csr<T, O> read_matrix_source(const Source& file, const ReadOptions& options, std::size_t piece,
                             std::string_view variable) {
  FileInfo about;
  about.file_bytes = file.size();
  Reading in(file, options, piece);
  auto matrix = in.with_head([&](std::span<const char> head) -> Csr<T, O> {
    const FileKind kind = kind_of(head, file.name());
    switch (kind) {
      case FileKind::matrix_market:
      case FileKind::rutherford_boeing:
        break;
      case FileKind::tar: {
        const Member member = matrix_in_tar(file, in.budget, in.packing);
        const FileKind inner =
            member.name.ends_with(".rb") ? FileKind::rutherford_boeing : FileKind::matrix_market;
        auto a = read_text<T, O>(in, inner, member, about);
        about.format += " in a tar file";
        return a;
      }
      case FileKind::nzb:
        return read_real<T>([&]<class R>(R) {
          return in.binary(
              [&](const Source& s) { return read_nzb<R, O>(s, in.budget, in.meter, about); });
        });
      case FileKind::npz:
        return read_real<T>([&]<class R>(R) {
          return in.binary(
              [&](const Source& s) { return read_npz<R, O>(s, in.budget, in.meter, about); });
        });
      case FileKind::mat:
        return read_real<T>([&]<class R>(R) {
          return in.binary([&](const Source& s) {
            return read_mat<R, O>(s, variable, in.budget, in.meter, about);
          });
        });
      case FileKind::hdf5:
        return read_real<T>(
            [&]<class R>(R) { return read_mat_hdf5<R, O>(file, variable, in.budget, about); });
    }
    return read_text<T, O>(in, kind, {}, about);
  });
  if (options.info != nullptr) *options.info = about;
  return matrix;
}

template <Value T>
Array<T> read_vector_source(const Source& file, const ReadOptions& options, std::size_t piece) {
  Reading in(file, options, piece);
  return in.with_head([&](std::span<const char> head) {
    if (is_npy(head)) return in.binary([&](const Source& s) { return read_npy<T>(s, in.budget); });
    return in.text([&] {
      MmText mm(file, in.budget, in.packing, piece);
      mm.allow_nan = in.allow_nan;
      return read_mm_vector<T>(mm, in.meter);
    });
  });
}

bool is_complex_source(const Source& file, const ReadOptions& options) try {
  Reading in(file, {.memory_limit = options.memory_limit}, usual_piece);
  return in.with_head([&](std::span<const char> head) {
    if (is_npy(head))
      return in.binary([](const Source& s) { return read_npy_header(s).type.starts_with("<c"); });
    const auto text = [&](const Member& member) {
      return MmText(file, in.budget, in.packing, in.piece, member).header.field == Field::complex;
    };
    const FileKind kind = kind_of(head, file.name());
    if (kind == FileKind::tar) {
      const Member member = matrix_in_tar(file, in.budget, in.packing);
      return !member.name.ends_with(".rb") && text(member);
    }
    return kind == FileKind::matrix_market && text({});
  });
} catch (const BadInput&) {
  return false;  // whoever reads it will be told why
}

namespace {

// edges:FILE or metis:FILE; such a name of a file itself is that file.
bool names_graph(const std::string& name) {
  std::error_code unknown;
  return (name.starts_with("edges:") || name.starts_with("metis:")) &&
         !std::filesystem::exists(name, unknown);
}

}  // namespace

bool is_complex_file(const std::filesystem::path& path, const ReadOptions& options) try {
  try {
    return is_complex_source(FileSource(split_variable(path).path), options);
  } catch (const BadInput&) {
    return false;  // there is no such file
  }
}
NZ_OR_NO_MEMORY("looking at a file")

template <Value T, Offset O>
Csr<T, O> read_matrix(const std::filesystem::path& path, const ReadOptions& options) try {
  if (const std::string name = path.string(); names_graph(name)) {
    const FileSource file(name.substr(name.find(':') + 1));
    bool from_zero = false;
    auto a = name.starts_with("metis:") ? read_metis(file, options)
                                        : read_edge_list(file, options, from_zero);
    if constexpr (std::is_same_v<decltype(a), Csr<T, O>>)
      return a;
    else
      return csr_cast<T, O>(a.view());
  }
  const auto [file, variable] = split_variable(path);
  return read_matrix_source<T, O>(FileSource(file), options, usual_piece, variable);
}
NZ_OR_NO_MEMORY("reading a matrix")

template <Value T>
Array<T> read_vector(const std::filesystem::path& path, const ReadOptions& options) try {
  return read_vector_source<T>(FileSource(path), options);
}
NZ_OR_NO_MEMORY("reading a vector")

#define NZ_INSTANTIATE(T, O)                                                                  \
  template Csr<T, O> read_matrix_source<T, O>(const Source&, const ReadOptions&, std::size_t, \
                                              std::string_view);                              \
  template Csr<T, O> read_matrix<T, O>(const std::filesystem::path&, const ReadOptions&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)
NZ_FOR_EACH_COMPLEX_OFFSET(NZ_INSTANTIATE)
#define NZ_INSTANTIATE_VALUE(T)                                                            \
  template Array<T> read_vector_source<T>(const Source&, const ReadOptions&, std::size_t); \
  template Array<T> read_vector<T>(const std::filesystem::path&, const ReadOptions&);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE_VALUE)
NZ_FOR_EACH_COMPLEX(NZ_INSTANTIATE_VALUE)

}  // namespace nz
