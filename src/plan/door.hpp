#pragma once
#include <cstddef>
#include <memory>
#include <string_view>

#include <nonzero/plan.hpp>

#include "plan/look_sample.hpp"

namespace nz {

// What products may be prepared from: offsets that begin with 0, columns that rise in every row,
// nothing out of range. It lies where the caller's arrays do, or in host memory.
template <Value T, Offset O>
struct Admitted {
  CsrView<T, O> view{};
  std::shared_ptr<const void> owner{};       // of what is not the caller's
  std::size_t bytes = 0;                     // that the owner has
  bool in_place = true;                      // columns and values are the caller's
  std::string_view note{};                   // for people, where something was copied
  std::shared_ptr<const LookStart> start{};  // where it was asked for and lies on a device
};

// The door of the library: looks at the arrays of a caller, in host memory or in the device's, and
// copies what is not as products need it. Throws InvalidArgument with the first place that is
// wrong. What is trusted is taken as it is. `looks`: a look at the matrix follows.
template <Value T, Offset O>
Admitted<T, O> admit(Device device, const CsrView<T, O>& a, Input input, bool looks = false);

// For arrays that the library owns: looked at, sorted and summed in place. Returns the note.
template <Value T, Offset O>
std::string_view admit_owned(Device device, Csr<T, O>& a, Input input);

}  // namespace nz
