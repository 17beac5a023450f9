#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include <nonzero/export.hpp>
#include <nonzero/formats/csr.hpp>
#include <nonzero/types.hpp>

namespace NZ_API nz {

// The type that values are rounded to before they are stored; vectors, products and sums stay what
// they are.
enum class StoredValues : char {
  exact,  // not rounded
  f32,    // of a matrix of double
  f16,    // of a matrix of float: 11 bits, from 6e-8 to 65504
  bf16,   // of a matrix of float: 8 bits, as far as float goes
};
inline constexpr StoredValues all_stored_values[] = {StoredValues::exact, StoredValues::f32,
                                                     StoredValues::f16, StoredValues::bf16};
std::string_view name(StoredValues as);
// Throws InvalidArgument for another name, listing those there are.
StoredValues stored_values_named(std::string_view name);

// What rounding has done to the values of a matrix. NaN and infinities stay what they are.
struct ValueRounding {
  StoredValues as = StoredValues::exact;
  std::int64_t values = 0, changed = 0;  // all, and those that were rounded to another number
  double relative = 0;                   // the largest |rounded - given| / |given|; 1: to 0
  double absolute = 0;                   // the largest |rounded - given|

  // A sentence for people, with what follows for a product; empty where nothing was asked for.
  std::string text() const;
  friend bool operator==(const ValueRounding&, const ValueRounding&) = default;
};

// Throws InvalidArgument where the values of such a matrix cannot be stored so.
void check_stored_values(StoredValues as, ValueType type);

// Rounds all values to the nearest, ties to even, subnormals kept. Throws Refused with row, column
// and value of the first that would become infinite: the values are as they were then.
template <Value T, Offset O>
NZ_API ValueRounding round_values(Csr<T, O>& a, StoredValues as);

}  // namespace nz
