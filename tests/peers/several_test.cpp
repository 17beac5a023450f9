#include <limits>
#include <random>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nonzero/generate.hpp>
#include <nonzero/truth.hpp>

#include "kernels/conform.hpp"
#include "lab/peers/peers.hpp"
#include "lab/peers/several_parameters.hpp"

// Libraries times several vectors, on the CPU.
namespace nz::test {
namespace {

template <class T>
void judge(const Kernel& kernel, const CsrView<T, std::int32_t>& a, index_t k, Layout layout, Op op,
           T alpha, T beta, std::mt19937_64& random) {
  SCOPED_TRACE(fmt::format("{}, {}, op {}, {} columns by {}, alpha {}, beta {}, NZ_TEST_SEED={}",
                           kernel.id(), name(value_type_of<T>), name(op), k,
                           layout == Layout::row_major ? "rows" : "columns", alpha, beta, seed()));
  PlanOptions options{.kernel = kernel.id(), .threads = 2, .op = op};
  for (const Parameter& q : kernel.parameters) {
    if (q.name == lab::vectors_name) options.parameters[std::string(q.name)] = k;
    if (q.name == lab::layout_name)
      options.parameters[std::string(q.name)] = layout == Layout::column_major;
  }
  const Plan<T> p = plan(a, options);
  ASSERT_TRUE(p.product().has_several(op));
  const index_t in = op == Op::none ? a.cols : a.rows, out = op == Op::none ? a.rows : a.cols;
  std::uniform_real_distribution<T> number(T(-1), T(1));
  // A gap behind each row or column.
  const auto leading = [&](index_t n) { return (layout == Layout::row_major ? k : n) + 1; };
  std::vector<T> x(static_cast<std::size_t>((in + 1) * (k + 1))),
      y(static_cast<std::size_t>((out + 1) * (k + 1)), T(-7.25));
  for (T& v : x) v = alpha == T(0) ? std::numeric_limits<T>::quiet_NaN() : number(random);
  const DenseView<T> to(y.data(), out, k, layout, leading(out));
  const DenseView<const T> from(x.data(), in, k, layout, leading(in));
  for (index_t i = 0; i < out; ++i)
    for (index_t j = 0; j < k; ++j)
      to(i, j) = beta == T(0) ? std::numeric_limits<T>::quiet_NaN() : number(random);
  std::vector<T> before = y;
  const DenseView<T> start(before.data(), out, k, layout, leading(out));
  p.multiply(alpha, from, beta, to, op);
  for (index_t j = 0; j < k; ++j) {
    const auto column = [&](const auto& v) {
      std::vector<T> all(static_cast<std::size_t>(v.rows()));
      for (index_t i = 0; i < v.rows(); ++i) all[static_cast<std::size_t>(i)] = v(i, j);
      return all;
    };
    const Verdict v =
        check_product<T, std::int32_t>(a, op, alpha, column(from), beta, column(start), column(to));
    ASSERT_TRUE(v.right()) << "column " << j << ": " << v.message();
  }
  // Nothing between the columns was written.
  for (index_t i = 0; i < out; ++i)
    for (index_t j = 0; j < k; ++j) to(i, j) = T(-7.25);
  for (const T v : y) EXPECT_EQ(v, T(-7.25));
}

TEST(PeersSeveral, AreRightInBothLayouts) {
  lab::add_peers();
  std::mt19937_64 random(seed());
  const auto wide = generate("random:rows=70,cols=110,density=0.06").matrix;
  const auto none = csr_from_triplets<double, std::int64_t>(4, 5, {}, {}, {});
  int found = 0;
  for (const Kernel* kernel : match_kernels("peer/*")) {
    if (!kernel->several || kernel->runs_on != Device::Kind::cpu) continue;
    ++found;
    for (const auto* m : {&wide, &none})
      for (const Layout layout : {Layout::row_major, Layout::column_major})
        for (const Op op : {Op::none, Op::transpose})
          for (const index_t k : {2, 7})
            for (const double beta : {0.0, -0.5})
              for (const double alpha : {1.0, 1.5, 0.0}) {
                const auto f = csr_cast<float, std::int32_t>(m->view());
                const auto d = csr_cast<double, std::int32_t>(m->view());
                judge<float>(*kernel, f.view(), k, layout, op, static_cast<float>(alpha),
                             static_cast<float>(beta), random);
                judge<double>(*kernel, d.view(), k, layout, op, alpha, beta, random);
              }
  }
  if (found == 0) GTEST_SKIP() << "no library here multiplies several vectors";
}

}  // namespace
}  // namespace nz::test
