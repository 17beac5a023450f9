#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include <fmt/format.h>
#include <nonzero/epilogue.hpp>
#include <nonzero/error.hpp>

#include "plan/overlap.hpp"

namespace nz {

// Throws InvalidArgument where an epilogue does not fit the vectors of its product.
template <class T>
void check_end(const Epilogue<T>& end, std::span<const T> x, std::span<T> y) {
  const auto check_length = [&](std::string_view which, std::span<const T> v) {
    if (v.size() != y.size())
      throw InvalidArgument(
          fmt::format("{} of an epilogue has {} elements, y has {}", which, v.size(), y.size()));
  };
  const std::int64_t n = std::ssize(y);
  if (!end.add.empty()) {
    check_length("add", end.add);
    if (meet<T>(end.add.data(), n, y.data(), n)) throw InvalidArgument("add and y overlap");
  }
  if (!(end.low <= end.high))
    throw InvalidArgument(fmt::format("an interval from {} to {}", end.low, end.high));
  if (end.dot) {
    check_length("dot_with", end.dot_with);
    if (end.dot_with.data() != y.data() && meet<T>(end.dot_with.data(), n, y.data(), n))
      throw InvalidArgument("dot_with is a part of y");
  } else if (!end.dot_with.empty()) {
    throw InvalidArgument("dot_with without a place for the dot product");
  }
  const auto check_result = [&](std::string_view which, const double* result) {
    const auto inside = [&](std::span<const T> v) {
      const auto *from = reinterpret_cast<const char*>(v.data()),
                 *at = reinterpret_cast<const char*>(result);
      return result && meet<char>(from, static_cast<std::int64_t>(v.size_bytes()), at,
                                  static_cast<std::int64_t>(sizeof(double)));
    };
    if (inside(y) || inside(x) || inside(end.add) || inside(end.dot_with))
      throw InvalidArgument(fmt::format("{} lies in a vector", which));
  };
  check_result("dot", end.dot);
  check_result("norm", end.norm);
}

}  // namespace nz
