#include <algorithm>
#include <atomic>
#include <memory>

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
  }
  return Mirror::none;
}

template <Value T, Offset O, bool Valued>
Csr<T, O> read_coordinates(const NamedText& text, const MmHeader& header, const MmPieces& pieces,
                           Meter& meter) {
  // The header's count is not trusted: an entry takes four bytes of text at least.
  const auto entries =
      std::min(static_cast<std::size_t>(header.entries), text.bytes.size() / 4 + 1);
  const Mirror mirror = mirror_of(header.symmetry);
  const MmShape shape{header.field, header.rows, header.cols, mirror == Mirror::skew};
  Assembly<T, Valued> assembly(header.rows, header.cols, mirror, pieces.size(), entries);
  parse_pieces(text, header, pieces, meter, [&]() -> PieceParser {
    const auto writer = std::make_shared<typename Assembly<T, Valued>::Writer>(assembly);
    return [&shape, writer](std::size_t p, const MmPieces::Piece& piece, std::size_t& count) {
      parse_coordinates<T, Valued>(piece.begin, piece.end, shape, *writer, count);
      writer->end(p);
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
    above_ = h.symmetry == Symmetry::symmetric ? 0 : 1;
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

// The values of all pieces, in the order of the file.
template <Value T>
std::vector<Array<T>> read_values(const NamedText& text, const MmHeader& header,
                                  const MmPieces& pieces, Meter& meter) {
  std::vector<Array<T>> values(pieces.size());
  parse_pieces(text, header, pieces, meter, [&]() -> PieceParser {
    const auto buffer = std::make_shared<Array<T>>();
    return [&, buffer](std::size_t p, const MmPieces::Piece& piece, std::size_t& count) {
      if (buffer->size() < pieces.most_lines(p)) *buffer = Array<T>(pieces.most_lines(p));
      parse_array(piece.begin, piece.end, header.field, buffer->data(), count);
      values[p] = Array<T>(std::span<const T>(buffer->data(), count));
    };
  });
  return values;
}

template <Value T, Offset O>
Csr<T, O> read_array(const NamedText& text, const MmHeader& header, const MmPieces& pieces,
                     Meter& meter) {
  auto values = read_values<T>(text, header, pieces, meter);
  std::vector<std::int64_t> first(values.size() + 1, 0);
  for (std::size_t p = 0; p < values.size(); ++p)
    first[p + 1] = first[p] + static_cast<std::int64_t>(values[p].size());
  Assembly<T, true> assembly(header.rows, header.cols, mirror_of(header.symmetry), values.size(),
                             static_cast<std::size_t>(first.back()));
  std::atomic<std::size_t> next{0};
  parallel(values.size() < 2 ? 1 : threads(), [&](int, int) {
    typename Assembly<T, true>::Writer writer(assembly);
    for (std::size_t p; (p = next++) < values.size();) {
      ArrayWalk at(header, first[p]);
      for (const T v : values[p]) {
        if (v != 0) writer.add(at.row, at.column, v);
        at.step();
      }
      writer.end(p);
      values[p] = {};
    }
  });
  return assembly.template finish<O>();
}

}  // namespace

template <Value T, Offset O>
Csr<T, O> read_mm(const NamedText& text, Meter& meter, FileInfo& info, std::size_t piece) {
  const MmHeader header = read_mm_header(text);
  const MmPieces pieces(text, header.body, piece);
  info.format = header.coordinate ? "Matrix Market coordinate" : "Matrix Market array";
  info.field = header.field;
  info.symmetry = header.symmetry;
  info.stored_entries = header.entries;
  if (!header.coordinate) return read_array<T, O>(text, header, pieces, meter);
  return header.field == Field::pattern ? read_coordinates<T, O, false>(text, header, pieces, meter)
                                        : read_coordinates<T, O, true>(text, header, pieces, meter);
}

template <Value T>
Array<T> read_mm_vector(const NamedText& text, Meter& meter, std::size_t piece) {
  const MmHeader header = read_mm_header(text);
  if (header.coordinate)
    throw BadInput(
        fmt::format("{}: a vector must be a Matrix Market array, this is coordinate", text.name));
  if ((header.rows != 1 && header.cols != 1) || header.symmetry != Symmetry::general)
    throw BadInput(fmt::format("{}: a vector must have one column or one row, this is {} x {} {}",
                               text.name, header.rows, header.cols, name(header.symmetry)));
  const auto values = read_values<T>(text, header, MmPieces(text, header.body, piece), meter);
  Array<T> all(static_cast<std::size_t>(header.entries));
  T* to = all.data();
  for (const auto& part : values) to = std::copy(part.begin(), part.end(), to);
  return all;
}

#define NZ_INSTANTIATE(T, O) \
  template Csr<T, O> read_mm<T, O>(const NamedText&, Meter&, FileInfo&, std::size_t);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)
#define NZ_INSTANTIATE_VALUE(T) \
  template Array<T> read_mm_vector<T>(const NamedText&, Meter&, std::size_t);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE_VALUE)

}  // namespace nz
