#include "io/mm_write.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "base/parallel.hpp"
#include "io/compress.hpp"

namespace nz {
namespace {

constexpr std::size_t piece_entries = std::size_t{1} << 16;
constexpr std::size_t most_line = 96;  // two indices, the longest doubles, spaces

// Formats and packs pieces of `entries` in parallel, a few for each thread at a time, and writes
// them in order. format(begin, end) gives the text of these entries.
template <class Format>
void write_pieces(OutputFile& file, std::size_t entries, Packing packing, Meter* meter,
                  Format&& format) {
  const std::size_t pieces = (entries + piece_entries - 1) / piece_entries;
  const auto batch = 4 * static_cast<std::size_t>(threads());
  std::vector<std::string> texts(std::min(batch, pieces));
  for (std::size_t first = 0; first < pieces; first += batch) {
    const std::size_t count = std::min(batch, pieces - first);
    parallel_ranges(
        count,
        [&](std::size_t begin, std::size_t end) {
          for (std::size_t p = begin; p < end; ++p) {
            const std::size_t from = (first + p) * piece_entries;
            texts[p] = pack(format(from, std::min(entries, from + piece_entries)), packing);
          }
        },
        2);
    for (std::size_t p = 0; p < count; ++p) {
      file.write(texts[p]);
      if (meter != nullptr) meter->add(1);
    }
  }
}

std::string comment_lines(std::string_view comment) {
  std::string out;
  while (!comment.empty()) {
    const auto end = std::min(comment.find('\n'), comment.size());
    out += fmt::format("% {}\n", comment.substr(0, end));
    comment.remove_prefix(std::min(end + 1, comment.size()));
  }
  return out;
}

template <Value T>
constexpr std::string_view field_of = ComplexValue<T> ? "complex" : "real";

// A number, or the two parts of a complex one; the end of the text.
template <Value T>
char* put_value(char* p, char* stop, T value) {
  if constexpr (ComplexValue<T>) {
    p = std::to_chars(p, stop, value.real()).ptr;
    *p++ = ' ';
    return std::to_chars(p, stop, value.imag()).ptr;
  } else {
    return std::to_chars(p, stop, value).ptr;
  }
}

template <RealValue T>
void require_finite(T value, std::int64_t row, std::int64_t column) {
  if (!std::isfinite(value))
    throw InvalidArgument(
        fmt::format("entry ({}, {}) is {}: Matrix Market has no text for it; write .nzb or .npy",
                    row, column, value));
}
template <ComplexValue T>
void require_finite(T value, std::int64_t row, std::int64_t column) {
  require_finite(value.real(), row, column);
  require_finite(value.imag(), row, column);
}

}  // namespace

template <Value T, Offset O>
void write_mm(OutputFile& file, const CsrView<T, O>& a, std::string_view comment, Packing packing,
              Meter& meter) {
  const auto nnz = static_cast<std::size_t>(a.nnz);
  file.write(pack(fmt::format("%%MatrixMarket matrix coordinate {} general\n{}{} {} {}\n",
                              field_of<T>, comment_lines(comment), a.rows, a.cols, a.nnz),
                  packing));
  meter.begin((nnz + piece_entries - 1) / piece_entries);
  write_pieces(file, nnz, packing, &meter, [&](std::size_t begin, std::size_t end) {
    std::string text(most_line * (end - begin), '\0');
    char* p = text.data();
    char* const stop = p + text.size();
    // The row of the first entry: the last one that begins at or before it.
    const O* above = std::upper_bound(a.offsets, a.offsets + a.rows + 1, static_cast<O>(begin));
    auto row = static_cast<index_t>(above - a.offsets) - 1;
    for (std::size_t k = begin; k < end; ++k) {
      while (static_cast<std::size_t>(a.offsets[row + 1]) <= k) ++row;
      require_finite(a.values[k], std::int64_t{row} + 1, std::int64_t{a.columns[k]} + 1);
      p = std::to_chars(p, stop, std::int64_t{row} + 1).ptr;
      *p++ = ' ';
      p = std::to_chars(p, stop, std::int64_t{a.columns[k]} + 1).ptr;
      *p++ = ' ';
      p = put_value(p, stop, a.values[k]);
      *p++ = '\n';
    }
    text.resize(static_cast<std::size_t>(p - text.data()));
    return text;
  });
}

template <Value T>
void write_mm_vector(OutputFile& file, std::span<const T> v, Packing packing) {
  file.write(
      pack(fmt::format("%%MatrixMarket matrix array {} general\n{} 1\n", field_of<T>, v.size()),
           packing));
  write_pieces(file, v.size(), packing, nullptr, [&](std::size_t begin, std::size_t end) {
    std::string text(most_line * (end - begin), '\0');
    char* p = text.data();
    char* const stop = p + text.size();
    for (std::size_t k = begin; k < end; ++k) {
      require_finite(v[k], static_cast<std::int64_t>(k) + 1, 1);
      p = put_value(p, stop, v[k]);
      *p++ = '\n';
    }
    text.resize(static_cast<std::size_t>(p - text.data()));
    return text;
  });
}

#define NZ_INSTANTIATE(T, O) \
  template void write_mm(OutputFile&, const CsrView<T, O>&, std::string_view, Packing, Meter&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)
NZ_FOR_EACH_COMPLEX_OFFSET(NZ_INSTANTIATE)
#define NZ_INSTANTIATE_VALUE(T) \
  template void write_mm_vector(OutputFile&, std::span<const T>, Packing);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE_VALUE)
NZ_FOR_EACH_COMPLEX(NZ_INSTANTIATE_VALUE)

}  // namespace nz
