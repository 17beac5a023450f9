// Arrays of a caller with any bits, straight into plan(): an exception of ours, or a right product.
#include <cstring>
#include <memory>
#include <vector>

#include <nonzero/plan.hpp>

#include "fuzz/small_cases.hpp"

namespace {

using nz::index_t;

// Claims and arrays. They are as long as the claims say, so that a step beyond is seen; a slice
// counts in the arrays of a larger matrix, which then are that long.
template <class T, class O>
struct Arrays {
  index_t rows = 0, cols = 0;
  O nnz = 0;
  std::vector<O> offsets;
  std::vector<index_t> columns;
  std::vector<T> values;

  bool sound() const {
    if (rows < 0 || cols < 0 || nnz < 0 || offsets[0] < 0) return false;
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
      if (offsets[i] > offsets[i + 1]) return false;
    if (offsets.back() - offsets[0] != nnz) return false;
    for (O k = offsets[0]; k < offsets.back(); ++k)
      if (columns[static_cast<std::size_t>(k)] < 0 || columns[static_cast<std::size_t>(k)] >= cols)
        return false;
    return true;
  }
};

template <class T, class O>
Arrays<T, O> draw_arrays(nz::trials::Draw& draw) {
  Arrays<T, O> a;
  a.rows = draw.one_in(32) ? static_cast<index_t>(draw.bits()) : draw.between<index_t>(0, 12);
  a.cols = draw.one_in(32) ? static_cast<index_t>(draw.bits()) : draw.between<index_t>(0, 20);
  // No array holds what these claim: they are to be refused before anything is read.
  const bool absurd = a.rows < 0 || a.rows > 1000;
  const O first = draw.one_in(8) ? static_cast<O>(draw.below(5)) : O(0);
  O at = first;
  a.offsets.push_back(at);
  for (index_t i = 0; i < (absurd ? 0 : a.rows); ++i) {
    if (draw.one_in(48))
      at = static_cast<O>(draw.bits());
    else if (draw.one_in(32))
      at = static_cast<O>(at - static_cast<O>(draw.below(3)));
    else if (at < 1000)
      at = static_cast<O>(at + static_cast<O>(draw.below(6)));
    a.offsets.push_back(at);
  }
  // As unsigned numbers, which may wrap.
  using U = std::make_unsigned_t<O>;
  a.nnz = static_cast<O>(static_cast<U>(at) - static_cast<U>(first));
  if (draw.one_in(16)) a.nnz = static_cast<O>(draw.one_in(2) ? draw.bits() : draw.below(9));
  const O most = 1 << 12;
  const auto length =
      static_cast<std::size_t>(std::clamp<O>(std::max(a.nnz, a.offsets.back()), 0, most));
  for (std::size_t k = 0; k < length; ++k) {
    a.columns.push_back(draw.one_in(64) ? static_cast<index_t>(draw.bits())
                                        : draw.between<index_t>(0, std::clamp(a.cols - 1, 0, 100)));
    a.values.push_back(static_cast<T>(static_cast<int>(draw.below(17)) - 8));
  }
  return a;
}

template <class T>
[[noreturn]] void wrong(std::size_t i, T is, T should, const char* op) {
  std::fprintf(stderr, "element %zu of %s is %g, not %g\n", i, op, static_cast<double>(is),
               static_cast<double>(should));
  std::abort();
}

// Small whole numbers: every order of summation gives the same.
template <class T, class O>
void check(const nz::Plan<T>& plan, const Arrays<T, O>& a, nz::Op op) {
  const bool none = op == nz::Op::none;
  std::vector<T> x(static_cast<std::size_t>(none ? a.cols : a.rows));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(i % 7) - 3;
  std::vector<T> exact(static_cast<std::size_t>(none ? a.rows : a.cols), T(0)), y = exact;
  for (std::size_t i = 0; i + 1 < a.offsets.size(); ++i)
    for (auto k = static_cast<std::size_t>(a.offsets[i]);
         k < static_cast<std::size_t>(a.offsets[i + 1]); ++k) {
      const auto j = static_cast<std::size_t>(a.columns[k]);
      (none ? exact[i] : exact[j]) += a.values[k] * (none ? x[j] : x[i]);
    }
  plan.multiply(T(1), x, T(0), y, op);
  for (std::size_t i = 0; i < y.size(); ++i)
    if (y[i] != exact[i]) wrong(i, y[i], exact[i], none ? "N" : "T");
}

template <class T, class O>
void attempt(nz::trials::Draw& draw, const std::string& device) {
  nz::PlanOptions options{
      .threads = draw.between(1, 3), .device = nz::device_named(device), .cache = {false}};
  constexpr nz::Use uses[] = {nz::Op::none, nz::Op::transpose, nz::both_ops};
  options.op = draw.pick(uses);
  if (draw.one_in(3)) options.effort = nz::Effort::instant;
  options.store_transpose = draw.one_in(4);
  const Arrays<T, O> a = draw_arrays<T, O>(draw);
  // Products of a million rows take long, and say nothing new.
  if (a.cols > 1'000'000) return;
  const nz::CsrView<T, O> view{a.rows,           a.cols,           a.nnz,
                               a.offsets.data(), a.columns.data(), a.values.data()};
  if (a.rows > 1000 || a.nnz > (1 << 12) || a.offsets.back() > (1 << 12)) {
    // A claim that the arrays are longer than they are cannot be seen through: not made.
    bool monotone = true;
    for (std::size_t i = 0; i + 1 < a.offsets.size(); ++i)
      monotone = monotone && a.offsets[i] <= a.offsets[i + 1];
    if (a.rows > 1000 || (monotone && a.offsets.back() - a.offsets[0] == a.nnz)) return;
  }
  nz::Plan<T> plan;
  try {
    plan = nz::plan(view, options);
  } catch (const nz::InvalidArgument&) {
    if (a.sound()) throw;
    return;
  }
  if (!a.sound()) {
    std::fprintf(stderr, "arrays that are not sound were taken\n");
    std::abort();
  }
  check(plan, a, nz::Op::none);
  check(plan, a, nz::Op::transpose);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  nz::trials::Draw draw(std::span(data, size));
  const auto& places = nz::fuzz::small_cases().devices;
  const std::string device = places[draw.below(places.size())];
  switch (draw.below(4)) {
    case 0:
      attempt<double, std::int32_t>(draw, device);
      break;
    case 1:
      attempt<double, std::int64_t>(draw, device);
      break;
    case 2:
      attempt<float, std::int32_t>(draw, device);
      break;
    default:
      attempt<float, std::int64_t>(draw, device);
  }
  return 0;
}
