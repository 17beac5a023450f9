#include <nonzero/registry.hpp>

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nonzero/error.hpp>

#include "plan/kernel_list.hpp"

namespace nz {

#define NZ_DECLARE(entry) Kernel entry();
NZ_KERNELS(NZ_DECLARE)
#undef NZ_DECLARE

namespace {

// Levenshtein distance, for "did you mean".
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t above = row[j + 1];
      row[j + 1] = std::min({above + 1, row[j] + 1, diagonal + (a[i] != b[j])});
      diagonal = above;
    }
  }
  return row.back();
}

bool matches(std::string_view text, std::string_view pattern) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] == '*') {
    for (std::size_t skip = 0; skip <= text.size(); ++skip)
      if (matches(text.substr(skip), pattern.substr(1))) return true;
    return false;
  }
  return !text.empty() && (pattern[0] == '?' || pattern[0] == text[0]) &&
         matches(text.substr(1), pattern.substr(1));
}

}  // namespace

std::span<const Kernel> kernels() {
  static const std::vector<Kernel> all = {
#define NZ_CALL(entry) entry(),
      NZ_KERNELS(NZ_CALL)
#undef NZ_CALL
  };
  return all;
}

const Kernel& find_kernel(std::string_view id) {
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const Kernel& k : kernels()) {
    if (k.id() == id) return k;
    near.emplace_back(distance(k.id(), id), k.id());
  }
  std::stable_sort(near.begin(), near.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, near.size()); ++i)
    names.push_back(near[i].second);
  throw InvalidArgument(
      fmt::format("no kernel '{}'; nearest: {}", id, fmt::join(names, ", ")));
}

std::vector<const Kernel*> match_kernels(std::string_view pattern) {
  std::vector<const Kernel*> found;
  for (const Kernel& k : kernels())
    if (matches(k.id(), pattern)) found.push_back(&k);
  return found;
}

Parameters Kernel::resolve(const Parameters& wanted) const {
  Parameters all;
  for (const Parameter& p : parameters) all.emplace(p.name, p.initial);
  for (const auto& [name, value] : wanted) {
    const auto known = std::find_if(parameters.begin(), parameters.end(),
                                    [&](const Parameter& p) { return p.name == name; });
    if (known == parameters.end())
      throw InvalidArgument(fmt::format("{} has no parameter '{}'", id(), name));
    if (value < known->min || value > known->max)
      throw InvalidArgument(fmt::format("{}: {} = {} is outside {} to {}", id(), name, value,
                                        known->min, known->max));
    all[name] = value;
  }
  return all;
}

}  // namespace nz
