#include <cmath>
#include <limits>

#include <nonzero/plan.hpp>
#include <nonzero/registry.hpp>

#include "formats/battery.hpp"

namespace nz {
namespace {

// The parameter sets a kernel is tried with; max_ratio always lets the matrix in.
std::vector<Parameters> settings(const Kernel& k) {
  std::vector<Parameters> sets{{}};
  if (k.format == "sell")
    sets = {{{"chunk", 1}, {"sigma", 1}},
            {{"chunk", 4}, {"sigma", 9}},
            {{"chunk", 100}, {"sigma", 100}},
            {}};
  if (k.format == "hyb")
    sets = {{{"breakeven_rows", 0}}, {{"breakeven_rows", 0}, {"relative_speed", 1}}, {}};
  if (k.format == "bsr")
    sets = {{{"block_rows", 1}, {"block_cols", 1}},
            {{"block_rows", 3}, {"block_cols", 5}},
            {{"block_rows", 40}, {"block_cols", 40}},
            {}};
  for (const Parameter& p : k.parameters)
    if (p.name == "max_ratio")
      for (Parameters& s : sets) s[std::string(p.name)] = p.max;
  return sets;
}

template <class Types>
class SerialKernels : public ::testing::Test {};
TYPED_TEST_SUITE(SerialKernels, battery::AllTypes);

// Whole numbers throughout: every product is exact.
TYPED_TEST(SerialKernels, GiveTheExactProduct) {
  using T = typename TypeParam::T;
  using O = typename TypeParam::O;
  const auto& matrices = battery::all();
  const T nan = std::numeric_limits<T>::quiet_NaN();
  for (const Kernel* k : match_kernels("cpu/*/serial"))
    for (const Parameters& set : settings(*k))
      for (const auto& [name, original] : matrices) {
        const Csr<T, O> a = csr_cast<T, O>(original.view());
        const Plan<T> p = plan(a.view(), {k->id(), set});
        for (const Op op : all_ops) {
          const index_t n = op == Op::none ? a.cols : a.rows, m = op == Op::none ? a.rows : a.cols;
          std::vector<T> x(static_cast<std::size_t>(n));
          for (std::size_t j = 0; j < x.size(); ++j)
            x[j] = static_cast<T>(static_cast<int>(j % 7) - 3);
          for (const T alpha : {T(1), T(-2), T(0)})
            for (const T beta : {T(0), T(1), T(3)}) {
              std::vector<T> want(static_cast<std::size_t>(m)), y(want.size());
              for (std::size_t i = 0; i < y.size(); ++i) {
                y[i] = beta == 0 ? nan : static_cast<T>(static_cast<int>(i % 5) - 2);
                want[i] = beta == 0 ? T(0) : beta * y[i];
              }
              for (index_t i = 0; i < a.rows; ++i)
                for (O e = a.offsets[i]; e < a.offsets[i + 1]; ++e) {
                  const index_t j = a.columns[e];
                  if (op == Op::none)
                    want[i] += alpha * a.values[e] * x[j];
                  else
                    want[j] += alpha * a.values[e] * x[i];
                }
              p.multiply(alpha, x, beta, y, op);
              ASSERT_EQ(y, want) << k->id() << ", " << name << ", op " << nz::name(op) << ", alpha "
                                 << alpha << ", beta " << beta;
            }
        }
      }
}

// An infinite or NaN x reaches exactly the rows that have an entry there, or a filled zero in the
// formats that say so.
TYPED_TEST(SerialKernels, NeverMultiplyPadding) {
  using T = typename TypeParam::T;
  using O = typename TypeParam::O;
  for (const Kernel* k : match_kernels("cpu/*/serial"))
    for (const Parameters& set : settings(*k))
      for (const auto& [name, original] : battery::all()) {
        const Csr<T, O> a = csr_cast<T, O>(original.view());
        const Plan<T> p = plan(a.view(), {k->id(), set});
        Csr<double, std::int64_t> touched = csr_cast<double, std::int64_t>(original.view());
        if (k->with_fill) touched = k->with_fill(original.view(), p.parameters());
        for (const Op op : all_ops) {
          const Csr<double, std::int64_t> by_row =
              op == Op::none ? touched : transpose(touched.view());
          for (const T bad :
               {std::numeric_limits<T>::infinity(), std::numeric_limits<T>::quiet_NaN()})
            for (const index_t at : {0, by_row.cols / 2, by_row.cols - 1}) {
              if (at < 0 || at >= by_row.cols) continue;
              std::vector<T> x(static_cast<std::size_t>(by_row.cols), T(1));
              std::vector<T> y(static_cast<std::size_t>(by_row.rows), T(0));
              x[static_cast<std::size_t>(at)] = bad;
              p.multiply(T(1), x, T(0), y, op);
              for (index_t i = 0; i < by_row.rows; ++i) {
                bool reached = false;
                for (std::int64_t e = by_row.offsets[i]; e < by_row.offsets[i + 1]; ++e)
                  reached |= by_row.columns[e] == at;
                ASSERT_EQ(std::isfinite(y[static_cast<std::size_t>(i)]), !reached)
                    << k->id() << ", " << name << ", op " << nz::name(op) << ", row " << i
                    << ", x bad at " << at;
              }
            }
        }
      }
}

TEST(SerialKernelEntries, ReportWhatTheyHoldAndMove) {
  const auto a = battery::random_matrix(40, 30, 200, 5);
  for (const Kernel* k : match_kernels("cpu/*/serial")) {
    const Plan<double> p = plan(a.view(), {k->id(), settings(*k).front()});
    if (k->format == "csr") {
      EXPECT_TRUE(p.product().borrows());
      EXPECT_EQ(p.product().bytes(), 0u);
    } else {
      EXPECT_FALSE(p.product().borrows());
      EXPECT_GT(p.product().bytes(), static_cast<std::size_t>(a.nnz()) * 8) << k->id();
      EXPECT_EQ(p.product().traffic(Op::none, false), p.product().bytes() + 70 * 8) << k->id();
    }
    EXPECT_EQ(p.product().traffic(Op::none, true), p.product().traffic(Op::none, false) + 40 * 8);
    EXPECT_EQ(p.product().traffic(Op::transpose, true),
              p.product().traffic(Op::transpose, false) + 30 * 8);
  }
}

TEST(SerialKernelEntries, SayWhatTheyCan) {
  EXPECT_FALSE(match_kernels("cpu/*/serial").empty());
  for (const Kernel* k : match_kernels("cpu/*/serial")) {
    EXPECT_TRUE(k->transposes && k->determinism == Determinism::always) << k->id();
    EXPECT_TRUE(k->supports(ValueType::f32) && k->supports(ValueType::f64)) << k->id();
    EXPECT_FALSE(k->source.empty() || k->summary.empty()) << k->id();
  }
}

}  // namespace
}  // namespace nz
