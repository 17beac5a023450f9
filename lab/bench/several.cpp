#include "lab/bench/several.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nonzero/error.hpp>

namespace nz::lab {
namespace {

bool has(const Kernel& kernel, std::string_view name) {
  return std::any_of(kernel.parameters.begin(), kernel.parameters.end(),
                     [&](const Parameter& p) { return p.name == name; });
}

}  // namespace

Parameters for_vectors(const Kernel& kernel, Parameters p, const VectorSet& vectors) {
  if (has(kernel, vectors_name)) p.insert_or_assign(std::string(vectors_name), vectors.count);
  if (has(kernel, layout_name))
    p.insert_or_assign(std::string(layout_name), vectors.layout == Layout::column_major);
  return p;
}

Parameters without_vectors(Parameters p) {
  for (const std::string_view name : {vectors_name, layout_name})
    if (const auto at = p.find(name); at != p.end()) p.erase(at);
  return p;
}

bool only_for_several(const Kernel& kernel) {
  return kernel.family == "peer" && kernel.strategy.starts_with("spmm");
}

}  // namespace nz::lab
