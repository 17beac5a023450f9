#pragma once
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

#include <nonzero/error.hpp>
#include <nonzero/nonzero.h>
#include <nonzero/plan.hpp>

#include "c/guard.hpp"

// Structs of the caller's, which begin with their size: it says which members they have.
namespace nz::c {

// Throws InvalidArgument for a size that is below that of the first version, above that of now, or
// in the midst of a member.
inline void check_size(std::size_t size, std::size_t first, std::size_t now, std::size_t unit,
                       const char* what) {
  if (size < first)
    throw InvalidArgument(std::string(what) + ": size is " + std::to_string(size) + ", at least " +
                          std::to_string(first) + " was expected; was it initialised?");
  if (size > now)
    throw InvalidArgument(std::string(what) + ": size is " + std::to_string(size) + ", and " +
                          std::to_string(now) + " in this version of the library, which is older");
  if (size % unit != 0)
    throw InvalidArgument(std::string(what) + ": size is " + std::to_string(size) +
                          ", which no version has");
}

// *to as `initial` has it, as far as it reaches.
template <class Struct>
nz_status initialise(Struct* to, std::size_t size, std::size_t first, Struct initial,
                     const char* what) noexcept {
  return guarded([&] {
    given(to, what);
    check_size(size, first, sizeof(Struct), alignof(Struct), what);
    initial.size = size;
    std::memcpy(to, &initial, size);
  });
}

// The caller's struct, completed with `initial`, or `initial` where there is none.
template <class Struct>
Struct completed(const Struct* from, std::size_t first, Struct initial, const char* what) {
  if (!from) return initial;
  check_size(from->size, first, sizeof(Struct), alignof(Struct), what);
  std::memcpy(&initial, from, from->size);
  return initial;
}

// The sizes of first versions: up to the last member that they had. There is none that ends with
// padding, which a later member could fall into without a change of the size.
#define NZ_UP_TO(type, member) (offsetof(type, member) + sizeof(type{}.member))
inline constexpr std::size_t first_plan_options = NZ_UP_TO(nz_plan_options, reserved),
                             first_solve_options = NZ_UP_TO(nz_solve_options, stream),
                             first_solve_result = NZ_UP_TO(nz_solve_result, message),
                             first_eigen_options = NZ_UP_TO(nz_eigen_options, stream),
                             first_walk_options = NZ_UP_TO(nz_walk_options, stream),
                             first_preconditioner_options =
                                 NZ_UP_TO(nz_preconditioner_options, degree);
#undef NZ_UP_TO
static_assert(first_plan_options == offsetof(nz_plan_options, vectors) &&
              first_plan_options + sizeof(nz_plan_options::vectors) ==
                  offsetof(nz_plan_options, store_values_as) &&
              offsetof(nz_plan_options, layout) + sizeof(nz_plan_options::layout) ==
                  sizeof(nz_plan_options) &&
              first_solve_options == sizeof(nz_solve_options) &&
              first_solve_result == sizeof(nz_solve_result) &&
              first_eigen_options == sizeof(nz_eigen_options) &&
              first_walk_options == sizeof(nz_walk_options) &&
              first_preconditioner_options == sizeof(nz_preconditioner_options));

// Throw InvalidArgument for numbers and names that stand for nothing.
PlanOptions plan_options(const nz_plan_options* options);
nz_solve_options solve_options(const nz_solve_options* options);
nz_eigen_options eigen_options(const nz_eigen_options* options);
nz_walk_options walk_options(const nz_walk_options* options);
nz_preconditioner_options preconditioner_options(const nz_preconditioner_options* options);

}  // namespace nz::c
