#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "base/parallel.hpp"
#include "formats/assemble.hpp"
#include "io/mm_pieces.hpp"
#include "io/read_bytes.hpp"

namespace nz {
namespace {

Mirror mirror_of(Symmetry s) {
  switch (s) {
    case Symmetry::general:
      return Mirror::none;
    case Symmetry::symmetric:
      return Mirror::symmetric;
    case Symmetry::skew_symmetric:
      return Mirror::skew;
    case Symmetry::hermitian:
      return Mirror::hermitian;
  }
  return Mirror::none;
}

// How often an entry of the file stands in the matrix, at most.
std::uint64_t copies(const MmHeader& header) {
  return header.symmetry == Symmetry::general ? 1 : 2;
}

template <Value T, Offset O, bool Valued>
Csr<T, O> read_coordinates(MmText& text, Meter& meter) {
  const MmHeader& header = text.header;
  // The header's count is not trusted: an entry takes four bytes of text at least, or a byte of
  // compressed text, more or less.
  const auto entries = std::min(static_cast<std::uint64_t>(header.entries), text.file.size() + 1);
  const Mirror mirror = mirror_of(header.symmetry);
  const MmShape shape{.field = header.field,
                      .rows = header.rows,
                      .cols = header.cols,
                      .skew = mirror == Mirror::skew,
                      .hermitian = mirror == Mirror::hermitian,
                      .allow_nan = text.allow_nan};
  Assembly<T, Valued> assembly(header.rows, header.cols, mirror, static_cast<std::size_t>(entries));
  const std::uint64_t place = 2 * sizeof(index_t) + (Valued ? sizeof(T) : 0);
  parse_pieces(
      text, meter, copies(header) * (place + sizeof(index_t) + sizeof(T)), [&]() -> PieceParser {
        const auto writer = std::make_shared<typename Assembly<T, Valued>::Writer>(assembly);
        return [&shape, writer](std::size_t p, const TextPieces::Piece& piece, LineCounts& count) {
          parse_coordinates<T, Valued>(piece.begin(), piece.end(), shape, *writer, count);
          if (count.entries > 0) writer->end(p);
        };
      });
  return assembly.template finish<O>();
}

// Walks an array's places in the order of the file, down the columns; below the diagonal only when
// the rest follows by symmetry.
class ArrayWalk {
 public:
  ArrayWalk(const MmHeader& h, std::int64_t k) : rows_(h.rows) {
    if (h.symmetry == Symmetry::general) {
      column = rows_ == 0 ? 0 : static_cast<index_t>(k / rows_);
      row = rows_ == 0 ? 0 : static_cast<index_t>(k % rows_);
      return;
    }
    above_ = h.symmetry == Symmetry::skew_symmetric ? 1 : 0;
    while (column < rows_ && k >= rows_ - column - above_) k -= rows_ - column++ - above_;
    row = static_cast<index_t>(column + above_ + k);
  }
  void step() {
    if (++row < rows_) return;
    ++column;
    row = above_ < 0 ? 0 : column + above_;
  }

  index_t row = 0, column = 0;

 private:
  index_t rows_;
  index_t above_ = -1;  // -1: whole columns, 0: from the diagonal, 1: from below it
};

// The values of the pieces that have any, by the number of the piece.
template <Value T>
using Values = std::map<std::size_t, Array<T>>;

template <Value T>
Values<T> read_values(MmText& text, Meter& meter, std::uint64_t entry_bytes) {
  Values<T> values;
  std::mutex guard;
  parse_pieces(text, meter, entry_bytes, [&]() -> PieceParser {
    const auto buffer = std::make_shared<Array<T>>();
    return [&, buffer](std::size_t p, const TextPieces::Piece& piece, LineCounts& count) {
      // A value has at least one character and a line end.
      const std::size_t most = piece.size / 2 + 1;
      if (buffer->size() < most) *buffer = Array<T>(most);
      const MmShape shape{.field = text.header.field, .allow_nan = text.allow_nan};
      parse_array(piece.begin(), piece.end(), shape, buffer->data(), count);
      if (count.entries == 0) return;
      Array<T> own(std::span<const T>(buffer->data(), count.entries));
      std::lock_guard lock(guard);
      values.emplace(p, std::move(own));
    };
  });
  return values;
}

template <Value T, Offset O>
Csr<T, O> read_array(MmText& text, Meter& meter) {
  const MmHeader& header = text.header;
  const std::uint64_t stored = 2 * sizeof(index_t) + sizeof(T) + sizeof(index_t) + sizeof(T);
  auto by_piece = read_values<T>(text, meter, sizeof(T) + copies(header) * stored);
  std::vector<Array<T>> values;
  std::vector<std::int64_t> first{0};
  for (auto& [p, part] : by_piece) {
    first.push_back(first.back() + static_cast<std::int64_t>(part.size()));
    values.push_back(std::move(part));
  }
  Assembly<T, true> assembly(header.rows, header.cols, mirror_of(header.symmetry),
                             static_cast<std::size_t>(first.back()));
  std::atomic<std::size_t> next{0};
  parallel(values.size() < 2 ? 1 : threads(), [&](int, int) {
    typename Assembly<T, true>::Writer writer(assembly);
    for (std::size_t p; (p = next++) < values.size();) {
      ArrayWalk at(header, first[p]);
      for (const T v : values[p]) {
        if constexpr (ComplexValue<T>)
          if (header.symmetry == Symmetry::hermitian && at.row == at.column && v.imag() != 0)
            throw BadInput(fmt::format("{0}: entry ({1}, {1}) of a hermitian matrix is not real",
                                       text.name, at.row + 1));
        if (v != T(0)) writer.add(at.row, at.column, v);
        at.step();
      }
      writer.end(p);
      values[p] = {};
    }
  });
  return assembly.template finish<O>();
}

// Complex files are for complex numbers; for them real files are fine as well.
template <Value T>
void require_real(const MmText& text) {
  if (!ComplexValue<T> && text.header.field == Field::complex)
    fail_line(text.name, 1, "the file has complex values, and is read as real ones");
}

}  // namespace

template <Value T, Offset O>
Csr<T, O> read_mm(MmText& text, Meter& meter, FileInfo& info) {
  const MmHeader& header = text.header;
  require_real<T>(text);
  info.format = header.coordinate ? "Matrix Market coordinate" : "Matrix Market array";
  info.field = header.field;
  info.symmetry = header.symmetry;
  info.stored_entries = header.entries;
  if (!header.coordinate) return read_array<T, O>(text, meter);
  return header.field == Field::pattern ? read_coordinates<T, O, false>(text, meter)
                                        : read_coordinates<T, O, true>(text, meter);
}

template <Value T>
Array<T> read_mm_vector(MmText& text, Meter& meter) {
  const MmHeader& header = text.header;
  const std::string& file = text.name;
  require_real<T>(text);
  if (header.coordinate)
    throw BadInput(
        fmt::format("{}: a vector must be a Matrix Market array, this is coordinate", file));
  if ((header.rows != 1 && header.cols != 1) || header.symmetry != Symmetry::general)
    throw BadInput(fmt::format("{}: a vector must have one column or one row, this is {} x {} {}",
                               file, header.rows, header.cols, name(header.symmetry)));
  const auto values = read_values<T>(text, meter, 2 * sizeof(T));
  Array<T> all(static_cast<std::size_t>(header.entries));
  T* to = all.data();
  for (const auto& [p, part] : values) to = std::copy(part.begin(), part.end(), to);
  return all;
}

#define NZ_INSTANTIATE(T, O) template Csr<T, O> read_mm<T, O>(MmText&, Meter&, FileInfo&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)
NZ_FOR_EACH_COMPLEX_OFFSET(NZ_INSTANTIATE)
#define NZ_INSTANTIATE_VALUE(T) template Array<T> read_mm_vector<T>(MmText&, Meter&);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE_VALUE)
NZ_FOR_EACH_COMPLEX(NZ_INSTANTIATE_VALUE)

}  // namespace nz
