#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/error.hpp>
#include <nonzero/generate.hpp>
#include <nonzero/threads.hpp>
#include <nonzero/truth.hpp>

// One reference judges many results, made on any number of threads.
namespace nz {
namespace {

class ReferenceTest : public testing::TestWithParam<Op> {
 protected:
  // Large enough for several threads, with rows and columns of very different lengths.
  const GeneratedMatrix a = generate("rmat:scale=12,degree=8").matrix;
  const std::size_t n = static_cast<std::size_t>(a.rows);
  std::vector<double> x = std::vector<double>(n);
  std::vector<double> y = std::vector<double>(n);

  ReferenceTest() {
    for (std::size_t i = 0; i < n; ++i) x[i] = 1.0 / static_cast<double>(i + 1) - 0.3;
    for (index_t i = 0; i < a.rows; ++i)
      for (auto k = a.offsets[static_cast<std::size_t>(i)];
           k < a.offsets[static_cast<std::size_t>(i) + 1]; ++k) {
        const auto row = static_cast<std::size_t>(i),
                   column = static_cast<std::size_t>(a.columns[static_cast<std::size_t>(k)]);
        const double v = a.values[static_cast<std::size_t>(k)];
        if (GetParam() == Op::none)
          y[row] += v * x[column];
        else
          y[column] += v * x[row];
      }
  }
  Reference<double> reference() const {
    return exact_product<double, std::int64_t>(a.view(), GetParam(), 1.0, x, 0.0, {});
  }
};

TEST_P(ReferenceTest, IsTheSameOnEveryNumberOfThreads) {
  ASSERT_GT(a.nnz(), 1 << 14);
  const ThreadScope one(1);
  const Verdict serial = reference().judge(y);
  EXPECT_TRUE(serial.right()) << serial.message();
  EXPECT_EQ(serial.rows, a.rows);
  EXPECT_GT(serial.worst, 0);
  for (const int t : {2, 3, 7}) {
    const ThreadScope scope(t);
    const Verdict v = reference().judge(y);
    EXPECT_EQ(v.message(), serial.message()) << t;
    EXPECT_EQ(v.worst, serial.worst) << t;
  }
}

TEST_P(ReferenceTest, JudgesManyResults) {
  const ThreadScope scope(3);
  const Reference<double> exact = reference();
  std::vector<double> wrong = y;
  wrong[n - 1] += 1;
  wrong[n / 2] += 1;
  wrong[7] = -wrong[7] + 1;
  const Verdict v = exact.judge(wrong);
  EXPECT_EQ(v.wrong, 3);
  EXPECT_EQ(v.first_wrong, 7) << "the first of all, not of the thread that ended first";
  EXPECT_EQ(v.computed, wrong[7]);
  EXPECT_TRUE(exact.judge(y).right());
  const Verdict direct =
      check_product<double, std::int64_t>(a.view(), GetParam(), 1.0, x, 0.0, {}, wrong);
  EXPECT_EQ(direct.message(), v.message());
}

TEST_P(ReferenceTest, RefusesAWrongLength) {
  y.pop_back();
  EXPECT_THROW(reference().judge(y), InvalidArgument);
  x.pop_back();
  EXPECT_THROW(reference(), InvalidArgument);
}

INSTANTIATE_TEST_SUITE_P(Ops, ReferenceTest, testing::Values(Op::none, Op::transpose),
                         [](const auto& p) { return std::string(name(p.param)); });

}  // namespace
}  // namespace nz
