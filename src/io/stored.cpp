#include "io/stored.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"

namespace nz {
namespace {

[[noreturn]] void fail(const std::string& name, const std::string& what) {
  throw BadInput(fmt::format("{}: {}", name, what));
}

// Of entries that stand in rows; those that stand in columns are the rows of the transpose.
template <Value T, Offset O>
Csr<T, O> compressed(index_t rows, index_t cols, const Array<std::int64_t>& offsets,
                     Array<index_t>&& columns, Array<T>&& values) {
  Csr<T, O> a{rows, cols, Array<O>(offsets.size()), std::move(columns), std::move(values)};
  for (std::size_t i = 0; i < offsets.size(); ++i) a.offsets[i] = static_cast<O>(offsets[i]);
  a.columns.truncate(static_cast<std::size_t>(offsets.back()));
  a.values.truncate(static_cast<std::size_t>(offsets.back()));
  sort_rows_and_sum(a);
  return a;
}

}  // namespace

void require_stored(const Budget& budget, const std::string& name, std::int64_t rows,
                    std::int64_t cols, std::uint64_t entries, std::size_t value_bytes) {
  constexpr std::int64_t most = std::numeric_limits<index_t>::max();
  for (const std::int64_t side : {rows, cols})
    if (side < 0 || side > most)
      fail(name, fmt::format("{} x {} is no shape: sides are from 0 to {}", rows, cols, most));
  // Offsets as they stand there; places and values as they are read, gathered, and kept, twice
  // where a mirror is.
  const auto side = static_cast<std::uint64_t>(std::max(rows, cols));
  const std::uint64_t entry = 5 * (2 * sizeof(index_t) + value_bytes);
  budget.require(
      Budget::shape_bytes(static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(cols)) +
          16 * side + times(entries, entry),
      name, fmt::format("a {} x {} matrix of {} entries with its vectors", rows, cols, entries));
}

void require_offsets(const Array<std::int64_t>& offsets, index_t sides, std::uint64_t entries,
                     const std::string& name) {
  const auto needed = static_cast<std::size_t>(sides) + 1;
  if (offsets.size() != needed)
    fail(name, fmt::format("{} offsets, but the shape needs {}", offsets.size(), needed));
  if (offsets[0] != 0) fail(name, fmt::format("offset 0 is {}, not 0", offsets[0]));
  for (std::size_t i = 1; i < needed; ++i)
    if (offsets[i] < offsets[i - 1])
      fail(name,
           fmt::format("offset {} is {}, less than {} before it", i, offsets[i], offsets[i - 1]));
  if (static_cast<std::uint64_t>(offsets.back()) > entries)
    fail(name, fmt::format("offsets go to {}, but there are {} entries", offsets.back(), entries));
}

template <Value T, Offset O>
Csr<T, O> csr_of(Stored<T>&& s, const std::string& name) {
  using Order = typename Stored<T>::Order;
  const std::int64_t entries =
      s.order == Order::places ? static_cast<std::int64_t>(s.values.size()) : s.offsets.back();
  require_countable<O>(entries, name.c_str());
  if (s.mirror == Mirror::none && s.order == Order::rows)
    return compressed<T, O>(s.rows, s.cols, s.offsets, std::move(s.column), std::move(s.values));
  if (s.mirror == Mirror::none && s.order == Order::columns)
    return transpose(
        compressed<T, O>(s.cols, s.rows, s.offsets, std::move(s.row), std::move(s.values)).view());
  Assembly<T, true> assembly(s.rows, s.cols, s.mirror, static_cast<std::size_t>(entries));
  typename Assembly<T, true>::Writer writer(assembly);
  if (s.order == Order::places) {
    for (std::size_t k = 0; k < s.values.size(); ++k)
      writer.add(s.row[k], s.column[k], s.values[k]);
  } else {
    const bool by_rows = s.order == Order::rows;
    for (std::size_t i = 0; i + 1 < s.offsets.size(); ++i)
      for (auto k = static_cast<std::size_t>(s.offsets[i]);
           k < static_cast<std::size_t>(s.offsets[i + 1]); ++k) {
        const auto side = static_cast<index_t>(i);
        writer.add(by_rows ? side : s.row[k], by_rows ? s.column[k] : side, s.values[k]);
      }
  }
  writer.end(0);
  s = {};
  return assembly.template finish<O>();
}

#define NZ_INSTANTIATE(T, O) template Csr<T, O> csr_of<T, O>(Stored<T>&&, const std::string&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
