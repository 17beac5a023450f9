#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include <nonzero/types.hpp>

#include "io/number.hpp"

namespace nz {

// How the numbers of a line stand in columns: (16I5), (1P,5E16.8), (4D20.12), (10F7.1).
struct FortranFormat {
  std::size_t count = 1;  // numbers a line
  std::size_t width = 0;  // columns a number
  char letter = 'I';      // I, E, D, F or G
  int digits = 0;         // behind the point, where a number has none
  int scale = 0;          // of numbers without an exponent: they stand for n / 10^scale
};

// Nothing but the formats above; false otherwise.
bool parse_format(std::string_view text, FortranFormat& format);

// The number in a field, as Fortran reads it: blanks do not count, the exponent may begin with D or
// have no letter at all, the point may be left out. Words such as NaN are numbers with allow_nan
// only.
template <Value T>
number::Result fortran_number(std::string_view field, const FortranFormat& format, bool allow_nan,
                              T& value);

// A whole number from 0 on.
bool fortran_whole(std::string_view field, std::uint64_t& value);

}  // namespace nz
