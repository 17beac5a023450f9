#pragma once
#include <nonzero/io.hpp>

#include "io/budget.hpp"
#include "io/progress.hpp"
#include "io/source.hpp"
#include "io/text.hpp"

namespace nz {

struct MmText;

// Pieces of text that threads parse on their own are about this long: small enough for what is
// parsed to stay in cache, large enough for the bookkeeping not to show.
constexpr std::size_t usual_piece = std::size_t{1} << 20;

// read_matrix and read_vector for bytes from anywhere. `variable` is one of a MAT-file.
template <Value T, Offset O>
Csr<T, O> read_matrix_source(const Source& file, const ReadOptions& options = {},
                             std::size_t piece = usual_piece, std::string_view variable = {});
template <Value T>
Array<T> read_vector_source(const Source& file, const ReadOptions& options = {},
                            std::size_t piece = usual_piece);

// is_complex_file for bytes from anywhere.
bool is_complex_source(const Source& file, const ReadOptions& options = {});

// For a file that is in memory already.
template <Value T, Offset O>
Csr<T, O> read_matrix_bytes(const NamedText& file, const Progress& progress = {},
                            FileInfo* info = nullptr, std::size_t piece = usual_piece) {
  return read_matrix_source<T, O>(MemorySource(file.name, file.bytes),
                                  {.progress = progress, .info = info}, piece);
}

// The readers behind them: text, and nzb.
template <Value T, Offset O>
Csr<T, O> read_mm(MmText& text, Meter& meter, FileInfo& info);
template <Value T, Offset O>
Csr<T, O> read_nzb(const Source& file, const Budget& budget, Meter& meter, FileInfo& info);
bool is_nzb(std::span<const char> bytes);

// A Matrix Market array of one column or one row.
template <Value T>
Array<T> read_mm_vector(MmText& text, Meter& meter);

}  // namespace nz
