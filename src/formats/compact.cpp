#include <nonzero/formats/compact.hpp>

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "base/parallel.hpp"
#include "formats/checks.hpp"
#include "formats/grain.hpp"
#include "formats/narrow_values.hpp"
#include "formats/short_index.hpp"

namespace nz {
namespace {

template <class View>
index_t first_row(const View&, index_t g) {
  return g * View::group_rows;
}
template <class View>
index_t last_row(const View& a, index_t g) {
  return g + 1 == a.group_count() ? a.rows : (g + 1) * View::group_rows;
}

// body(group) over all groups, in parallel.
template <class View, class Body>
void for_each_group(const View& a, Body&& body) {
  parallel_ranges(
      a.group_count(),
      [&](index_t begin, index_t end) {
        for (index_t g = begin; g < end; ++g) body(g);
      },
      grain_of(a.nnz, index_t{64}));
}

}  // namespace

template <Value T, Offset O>
Compact<T, O> compact_from_csr(const CsrView<T, O>& a) {
  Compact<T, O> b{.rows = a.rows, .cols = a.cols};
  b.offsets = Array<O>(static_cast<std::size_t>(a.rows) + 1);
  parallel_ranges(a.rows, [&](index_t begin, index_t end) {
    std::copy(a.offsets + begin, a.offsets + end, b.offsets.begin() + begin);
  });
  b.offsets[static_cast<std::size_t>(a.rows)] = a.nnz;
  const CompactView<T, O> shape = b.view();
  b.groups = Array<CompactGroup>(static_cast<std::size_t>(shape.group_count()));

  for_each_group(shape, [&](index_t g) {
    index_t low = std::numeric_limits<index_t>::max(), high = 0;
    for (index_t i = first_row(shape, g); i < last_row(shape, g); ++i) {
      if (a.offsets[i] == a.offsets[i + 1]) continue;
      low = std::min(low, a.columns[a.offsets[i]]);
      high = std::max(high, a.columns[a.offsets[i + 1] - 1]);
    }
    if (low > high) low = high;  // no entries
    b.groups[g] = {0, low, index_width(high - low)};
  });
  std::int64_t bytes = 0;
  for (index_t g = 0; g < shape.group_count(); ++g) {
    b.groups[g].index = bytes;
    const auto entries =
        static_cast<std::int64_t>(a.offsets[last_row(shape, g)] - a.offsets[first_row(shape, g)]);
    bytes += (entries * b.groups[g].width + 3) / 4 * 4;
  }
  b.indices = Array<std::uint8_t>(static_cast<std::size_t>(bytes));
  for_each_group(shape, [&](index_t g) {
    const CompactGroup& group = b.groups[g];
    const O begin = a.offsets[first_row(shape, g)], end = a.offsets[last_row(shape, g)];
    std::uint8_t* to = b.indices.data() + group.index;
    for (O k = begin; k < end; ++k, to += group.width)
      put_index(to, group.width, static_cast<std::uint32_t>(a.columns[k] - group.base));
    // What rounding to four leaves over.
    const std::int64_t next =
        g + 1 == shape.group_count() ? bytes : b.groups[static_cast<std::size_t>(g) + 1].index;
    std::fill(to, b.indices.data() + next, std::uint8_t{0});
  });

  CodedValues<T> coded = narrow_values(a.values, static_cast<std::int64_t>(a.nnz), true);
  b.code = coded.code;
  b.different = coded.different;
  b.table = std::move(coded.table);
  b.values = std::move(coded.values);
  if (b.code == ValueCode::full) {
    b.values = Array<std::byte>(static_cast<std::size_t>(a.nnz) * sizeof(T));
    T* to = reinterpret_cast<T*>(b.values.data());
    parallel_ranges(
        a.nnz, [&](O begin, O end) { std::copy(a.values + begin, a.values + end, to + begin); });
  }
  return b;
}

template <Value T, Offset O>
void Compact<T, O>::validate() const {
  check_shape("compact", rows, cols);
  const CompactView<T, O> v = view();
  check_size("compact", "offsets", offsets.size(), static_cast<std::size_t>(rows) + 1);
  check_offsets("compact", "row", offsets.data(), rows, static_cast<std::int64_t>(nnz()));
  check_size("compact", "groups", groups.size(), static_cast<std::size_t>(v.group_count()));
  check_size("compact", "table", table.size(), table_size(code));
  check_size("compact", "values", values.size(),
             static_cast<std::size_t>(nnz()) * code_bytes<T>(code));
  std::int64_t bytes = 0;
  for (index_t g = 0; g < v.group_count(); ++g) {
    const CompactGroup& group = groups[g];
    if (group.index != bytes || (group.width != 1 && group.width != 2 && group.width != 4))
      throw BadInput(
          fmt::format("compact: group {}: indices of {} bytes at {}", g, group.width, group.index));
    bytes += (static_cast<std::int64_t>(offsets[last_row(v, g)] - offsets[first_row(v, g)]) *
                  group.width +
              3) /
             4 * 4;
  }
  check_size("compact", "indices", indices.size(), static_cast<std::size_t>(bytes));
  nz::validate(compact_to_csr(v).view());
}

template <Value T, Offset O>
Csr<T, O> compact_to_csr(const CompactView<T, O>& a) {
  Csr<T, O> b{a.rows, a.cols, Array<O>(static_cast<std::size_t>(a.rows) + 1),
              Array<index_t>(static_cast<std::size_t>(a.nnz)),
              Array<T>(static_cast<std::size_t>(a.nnz))};
  std::copy(a.offsets, a.offsets + a.rows + 1, b.offsets.begin());
  for_each_group(a, [&](index_t g) {
    const CompactGroup& group = a.groups[g];
    const std::uint8_t* from = a.indices + group.index;
    const O begin = a.offsets[first_row(a, g)], end = a.offsets[last_row(a, g)];
    for (O k = begin; k < end; ++k, from += group.width) {
      b.columns[k] = group.base + static_cast<index_t>(get_index(from, group.width));
      b.values[k] = decode_value(a.code, a.values, a.table, static_cast<std::int64_t>(k));
    }
  });
  return b;
}

#define NZ_INSTANTIATE(T, O)                                     \
  template struct Compact<T, O>;                                 \
  template Compact<T, O> compact_from_csr(const CsrView<T, O>&); \
  template Csr<T, O> compact_to_csr(const CompactView<T, O>&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)
NZ_FOR_EACH_COMPLEX_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
