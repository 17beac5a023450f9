#include "cli/option_table.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace nz::cli {

Hint hint_of(const OptionText& o) {
  const auto is = [&](std::initializer_list<std::string_view> names) {
    return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
      return std::find(o.names.begin(), o.names.end(), name) != o.names.end();
    });
  };
  if (o.positional) {
    if (is({"MATRIX", "IN", "GRAPH", "CHAIN"})) return Hint::matrix;
    if (is({"KERNEL", "PATTERN"})) return Hint::kernel;
    if (is({"FAMILY"})) return Hint::family;
    if (is({"EXPERIMENT"})) return Hint::experiment;
    if (is({"SHELL"})) return Hint::shell;
    return is({"OUT", "RECORD"}) ? Hint::file : Hint::nothing;
  }
  if (is({"--kernel"})) return Hint::kernel;
  if (is({"--kernels", "--without", "--ours", "--peers", "--against"})) return Hint::kernels;
  if (o.value == "DIR") return Hint::folder;
  if (o.value.find("FILE") != o.value.npos || is({"--x", "--rhs", "--from"})) return Hint::file;
  return Hint::nothing;
}

}  // namespace nz::cli
