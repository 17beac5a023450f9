#pragma once
#include <string>
#include <string_view>

#include <nonzero/formats/csr.hpp>
#include <nonzero/solve.hpp>

namespace nz::lab {

// What the choice of a solver depends on.
struct SystemTraits {
  bool square = false;
  bool symmetric = false;          // each entry and its mirror image, stored or 0, but for rounding
  bool positive_diagonal = false;  // all of it stored and above 0
  bool negative_diagonal = false;  // all of it stored and below 0
  bool full_diagonal = false;      // all of it stored and not 0
  index_t empty_rows = 0, empty_columns = 0;  // of square ones: with nothing but zeros

  bool definite_diagonal() const { return positive_diagonal || negative_diagonal; }
  bool singular() const { return empty_rows > 0 || empty_columns > 0; }
};
// Rows sorted, in host memory.
SystemTraits system_traits(const CsrView<double, std::int64_t>& a);

// Why no x solves a matrix with empty rows or columns for any b, and what takes it; empty where it
// has none.
std::string singular_text(const SystemTraits& traits);

struct MethodChoice {
  std::string method;  // a name of solve::methods()
  std::string why;     // for people
};
// `preconditioner`: "none" or a name of the program's without its number.
MethodChoice choose_method(const SystemTraits& traits, std::string_view preconditioner = "none");

// What to try after a solver has failed, in options of the program and such as the matrix allows;
// empty where nothing is known to help. `preconditioner`: what it had.
std::string advice_after(const solve::Result& r, const std::string& method,
                         std::string_view preconditioner, const SystemTraits& traits);

}  // namespace nz::lab
