#include <nonzero/formats/stored_values.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "base/parallel.hpp"
#include "base/short_floats.hpp"
#include "formats/round_values.hpp"

namespace nz {
namespace {

template <Value T>
T rounded(T v, StoredValues as) {
  if constexpr (sizeof(T) == 8) {
    return static_cast<T>(static_cast<float>(v));
  } else {
    return as == StoredValues::f16 ? half_value(half_bits(v)) : bfloat_value(bfloat_bits(v));
  }
}

// Of a part of the values.
struct Found {
  std::int64_t changed = 0, overflow = -1;
  double relative = 0, absolute = 0;
};

template <Value T>
Found look(const T* from, std::int64_t begin, std::int64_t end, StoredValues as) {
  Found f;
  for (std::int64_t k = begin; k < end; ++k) {
    const T v = from[k];
    if (!std::isfinite(v)) continue;
    const T r = rounded(v, as);
    if (!std::isfinite(r)) {
      f.overflow = k;
      return f;
    }
    if (r == v) continue;
    // Exact: a number less one of fewer bits that is the nearest to it.
    const double off = std::abs(static_cast<double>(v) - static_cast<double>(r));
    ++f.changed;
    f.absolute = std::max(f.absolute, off);
    f.relative = std::max(f.relative, off / std::abs(static_cast<double>(v)));
  }
  return f;
}

}  // namespace

std::string_view name(StoredValues as) {
  switch (as) {
    case StoredValues::f32:
      return "f32";
    case StoredValues::f16:
      return "f16";
    case StoredValues::bf16:
      return "bf16";
    case StoredValues::exact:
      break;
  }
  return "exact";
}

StoredValues stored_values_named(std::string_view name) {
  for (const StoredValues as : all_stored_values)
    if (name == nz::name(as)) return as;
  throw InvalidArgument(
      fmt::format("values cannot be stored as '{}': exact, f32, f16 or bf16", name));
}

void check_stored_values(StoredValues as, ValueType type) {
  if (as == StoredValues::exact || (as == StoredValues::f32) == (type == ValueType::f64)) return;
  throw InvalidArgument(fmt::format(
      "values of a matrix of {} cannot be stored as {}: f32 is for f64, f16 and bf16 are for f32",
      nz::name(type), nz::name(as)));
}

std::string ValueRounding::text() const {
  if (as == StoredValues::exact) return {};
  if (changed == 0) return fmt::format("values are stored as {}, which all of them are", name(as));
  return fmt::format(
      "values are stored as {}: {} of {} were rounded, by at most {:.3g} of the value and {:.3g} "
      "in "
      "all; beside its rounding a sum is off by at most {:.3g} of the sum of |a||x|",
      name(as), changed, values, relative, absolute, relative);
}

template <Value T, Offset O>
ValueRounding round_values_to(const CsrView<T, O>& a, T* to, StoredValues as) {
  check_stored_values(as, value_type_of<T>);
  const auto n = static_cast<std::int64_t>(a.nnz);
  if (as == StoredValues::exact) {
    if (to != a.values) std::copy_n(a.values, n, to);
    return {.as = as, .values = n};
  }
  std::vector<Found> parts(static_cast<std::size_t>(n < 1 << 14 ? 1 : threads()));
  parallel(static_cast<int>(parts.size()), [&](int thread, int count) {
    const auto [begin, end] = part_of(n, thread, count);
    parts[static_cast<std::size_t>(thread)] = look(a.values, begin, end, as);
  });
  ValueRounding all{.as = as, .values = n};
  for (const Found& f : parts) {
    if (f.overflow >= 0) {
      const O* const row = std::upper_bound(a.offsets, a.offsets + a.rows + 1, f.overflow) - 1;
      throw Refused(fmt::format("row {}, column {} (counting from 0): {} would be infinite as {}",
                                row - a.offsets, a.columns[f.overflow], a.values[f.overflow],
                                name(as)));
    }
    all.changed += f.changed;
    all.relative = std::max(all.relative, f.relative);
    all.absolute = std::max(all.absolute, f.absolute);
  }
  parallel_ranges(n, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) to[k] = rounded(a.values[k], as);
  });
  return all;
}

template <Value T, Offset O>
ValueRounding round_values(Csr<T, O>& a, StoredValues as) {
  return round_values_to(a.view(), a.values.data(), as);
}

#define NZ_INSTANTIATE(T, O)                                                      \
  template ValueRounding round_values_to(const CsrView<T, O>&, T*, StoredValues); \
  template ValueRounding round_values(Csr<T, O>&, StoredValues);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
