#pragma once
#include <string_view>

#include <nonzero/io.hpp>

#include "io/decompress.hpp"
#include "io/progress.hpp"
#include "io/output_file.hpp"

namespace nz {

// Both write `real general` and refuse NaN and infinities, for which the format has no text
// (InvalidArgument names the entry). The bytes do not depend on the number of threads.
template <Value T, Offset O>
void write_mm(OutputFile& file, const CsrView<T, O>& a, std::string_view comment, Packing packing,
              Meter& meter);
template <Value T>
void write_mm_vector(OutputFile& file, std::span<const T> v, Packing packing);

}  // namespace nz
