#pragma once
#include <cstdint>

#include <nonzero/array.hpp>
#include <nonzero/types.hpp>

#include "io/source.hpp"

namespace nz {

enum class NumberType : std::uint8_t { u1, i1, u2, i2, u4, i4, u8, i8, f4, f8 };

std::uint64_t bytes_of(NumberType type);
bool is_whole(NumberType type);

// `count` numbers of a binary file, one after another from byte `at`; all lie within it. Messages
// call them by the file's name. Those below throw BadInput for numbers that do not fit.
struct Numbers {
  const Source& file;
  std::uint64_t at, count;
  NumberType type;
  bool swapped = false;  // the file has the bytes of a number the other way around

  std::uint64_t end() const { return at + count * bytes_of(type); }
};

// As values: the nearest T; NaN and infinities stay.
template <Value T>
Array<T> values_of(const Numbers& numbers);
// As indices below `end`, which are called `what`.
Array<index_t> indices_of(const Numbers& numbers, std::int64_t end, const char* what);
// As whole numbers of any size; unsigned ones beyond 2^63 are refused.
Array<std::int64_t> whole_of(const Numbers& numbers);

}  // namespace nz
