#pragma once
#include <nonzero/io.hpp>

#include "io/progress.hpp"
#include "io/text.hpp"

namespace nz {

// Pieces of text that threads parse on their own are about this long: small enough for what is
// parsed to stay in cache, large enough for the bookkeeping not to show.
constexpr std::size_t usual_piece = std::size_t{1} << 20;

// read_matrix for a file that is in memory already.
template <Value T, Offset O>
Csr<T, O> read_matrix_bytes(const NamedText& file, const Progress& progress = {},
                            FileInfo* info = nullptr, std::size_t piece = usual_piece);

// The two readers behind it: text that is not compressed, and nzb.
template <Value T, Offset O>
Csr<T, O> read_mm(const NamedText& text, Meter& meter, FileInfo& info, std::size_t piece);
template <Value T, Offset O>
Csr<T, O> read_nzb(const NamedText& file, Meter& meter, FileInfo& info);
bool is_nzb(std::span<const char> bytes);

// A Matrix Market array of one column or one row.
template <Value T>
Array<T> read_mm_vector(const NamedText& text, Meter& meter, std::size_t piece);

}  // namespace nz
