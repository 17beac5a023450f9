#include <nonzero/io.hpp>

namespace nz {

std::string_view name(Field f) {
  switch (f) {
    case Field::real:
      return "real";
    case Field::integer:
      return "integer";
    case Field::pattern:
      return "pattern";
    case Field::complex:
      return "complex";
  }
  return "";
}

std::string_view name(Symmetry s) {
  switch (s) {
    case Symmetry::general:
      return "general";
    case Symmetry::symmetric:
      return "symmetric";
    case Symmetry::skew_symmetric:
      return "skew-symmetric";
    case Symmetry::hermitian:
      return "hermitian";
  }
  return "";
}

}  // namespace nz
