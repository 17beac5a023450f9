#pragma once
#include <functional>
#include <string>
#include <vector>

#include <nonzero/device.hpp>
#include <nonzero/plan.hpp>

#include "plan/planned.hpp"

namespace nz::test {

// CSR arrays as a caller may have them: anything.
template <Value T, Offset O>
struct Given {
  index_t rows = 0, cols = 0;
  O nnz = 0;
  std::vector<O> offsets;
  std::vector<index_t> columns;
  std::vector<T> values;

  CsrView<T, O> view() const {
    return {rows, cols, nnz, offsets.data(), columns.data(), values.data()};
  }
  // Rows begin to end, as a slice of the whole.
  CsrView<T, O> slice(index_t begin, index_t end) const {
    const auto at = static_cast<std::size_t>(begin), behind = static_cast<std::size_t>(end);
    return {end - begin,         cols,           offsets[behind] - offsets[at],
            offsets.data() + at, columns.data(), values.data()};
  }
};

template <Value T, Offset O>
Given<T, O> given(const std::string& spec) {
  const auto a = csr_cast<T, O>(whole(spec).view());
  return {a.rows,
          a.cols,
          a.nnz(),
          {a.offsets.begin(), a.offsets.end()},
          {a.columns.begin(), a.columns.end()},
          {a.values.begin(), a.values.end()}};
}

// Each row from its last entry to its first.
template <Value T, Offset O>
Given<T, O> turned(Given<T, O> g) {
  for (index_t i = 0; i < g.rows; ++i) {
    const auto r = static_cast<std::size_t>(i);
    std::reverse(g.columns.begin() + g.offsets[r], g.columns.begin() + g.offsets[r + 1]);
    std::reverse(g.values.begin() + g.offsets[r], g.values.begin() + g.offsets[r + 1]);
  }
  return g;
}

// Every third entry has the column of the one before it in its row.
template <Value T, Offset O>
Given<T, O> doubled_up(Given<T, O> g) {
  for (index_t i = 0; i < g.rows; ++i) {
    const auto r = static_cast<std::size_t>(i);
    for (O k = g.offsets[r] + 1; k < g.offsets[r + 1]; ++k)
      if (k % 3 == 0)
        g.columns[static_cast<std::size_t>(k)] = g.columns[static_cast<std::size_t>(k - 1)];
  }
  return g;
}

// Where a plan may be and its arrays may lie.
struct Place {
  std::string device;
  bool there = false;
};
inline std::vector<Place> all_places() {
  std::vector<Place> all;
  for (const DeviceInfo& d : devices()) {
    if (d.device.index > 0) continue;
    all.push_back({d.device.name()});
    if (d.device != cpu_device) all.push_back({d.device.name(), true});
  }
  return all;
}

// The view with its arrays in host memory, or all of each array in that of the
// place.
template <Value T, Offset O>
class Lying {
 public:
  Lying(const Given<T, O>& g, const CsrView<T, O>& view, const Place& place) : view_(view) {
    if (!place.there) return;
    const auto far = [&](auto& to, const auto& all, auto*& at) {
      to = {device_named(place.device), std::span(all)};
      if (at) at = to.data() + (at - all.data());
    };
    far(offsets_, g.offsets, view_.offsets);
    far(columns_, g.columns, view_.columns);
    far(values_, g.values, view_.values);
  }
  const CsrView<T, O>& view() const { return view_; }
  DeviceArray<T>& values() { return values_; }

 private:
  CsrView<T, O> view_;
  DeviceArray<O> offsets_;
  DeviceArray<index_t> columns_;
  DeviceArray<T> values_;
};

// Of whole numbers, so exactly what a plan must give.
template <Value T, Offset O>
std::vector<T> expected(const CsrView<T, O>& a, Op op) {
  std::vector<T> y(static_cast<std::size_t>(op == Op::none ? a.rows : a.cols));
  for (index_t i = 0; i < a.rows; ++i)
    for (O k = a.offsets[i]; k < a.offsets[i + 1]; ++k) {
      const index_t j = a.columns[k];
      if (op == Op::none)
        y[static_cast<std::size_t>(i)] += a.values[k] * static_cast<T>(1 + j % 5);
      else
        y[static_cast<std::size_t>(j)] += a.values[k] * static_cast<T>(1 + i % 5);
    }
  return y;
}

template <Value T>
std::vector<T> multiplied(const auto& by, index_t in, index_t out) {
  std::vector<T> x(static_cast<std::size_t>(in)), y(static_cast<std::size_t>(out), T(-1));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(1 + i % 5);
  by(std::span<const T>(x), std::span<T>(y));
  return y;
}

template <Value T, Offset O>
void expect_products(const Plan<T>& p, const CsrView<T, O>& a) {
  for (const Op op : all_ops) {
    const bool n = op == Op::none;
    EXPECT_EQ(multiplied<T>([&](auto x, auto y) { p.multiply(T(1), x, T(0), y, op); },
                            n ? a.cols : a.rows, n ? a.rows : a.cols),
              expected(a, op))
        << name(op) << " by " << p.kernel().id();
  }
}

// body<T, O>() for every type of values and offsets.
template <class Body>
void for_all_types(Body&& body) {
  body.template operator()<float, std::int32_t>();
  body.template operator()<float, std::int64_t>();
  body.template operator()<double, std::int32_t>();
  body.template operator()<double, std::int64_t>();
}

inline const Use all_uses[] = {Op::none, Op::transpose, both_ops};
inline const Effort all_efforts[] = {Effort::instant, Effort::balanced, Effort::thorough};

}  // namespace nz::test
