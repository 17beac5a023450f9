#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "lab/bench/several.hpp"

namespace nz::lab {

Layout layout_named(std::string_view text) {
  for (const Layout l : {Layout::row_major, Layout::column_major})
    if (name(l) == text) return l;
  throw InvalidArgument(fmt::format("'{}' is not one of rows, columns", text));
}

}  // namespace nz::lab
