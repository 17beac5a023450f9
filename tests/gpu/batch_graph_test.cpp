#ifdef NZ_HAVE_CUDA
#include <cmath>
#include <vector>

#include <nonzero/batch.hpp>

#include "gpu/graph.hpp"

// Batches, and products with an epilogue, as parts of CUDA graphs.
namespace nz::test {
namespace {

constexpr Device gpu{Device::Kind::cuda, 0};

TEST(BatchGraph, CaptureAndReplay) {
  NZ_NEEDS(gpu);
  for (const Op op : all_ops) {
    const Problem<double> first(op);
    std::vector<double> values;
    for (int i = 0; i < 3; ++i)
      values.insert(values.end(), first.a.values.begin(), first.a.values.end());
    const auto batch = plan_batch(first.a.view(), 3, values, {.device = gpu});
    DeviceArray<double> x(gpu, static_cast<std::size_t>(batch.x_size(op))),
        y(gpu, static_cast<std::size_t>(batch.y_size(op)));
    const Stream stream(gpu);
    const ReadyGraph ready = captured_on(stream, [&] {
      batch.multiply_batch(first.alpha, x.span(), first.beta, y.span(), op, stream);
    });
    ASSERT_TRUE(ready);
    for (std::uint64_t round = 0; round < 3; ++round) {
      std::vector<Problem<double>> problems;
      std::vector<double> from, to;
      for (std::uint64_t i = 0; i < 3; ++i) {
        const Problem<double>& p = problems.emplace_back(op, 10 * round + i);
        from.insert(from.end(), p.x.begin(), p.x.end());
        to.insert(to.end(), p.before.begin(), p.before.end());
      }
      x.upload(from);
      y.upload(to);
      ASSERT_EQ(cudaGraphLaunch(ready.get(), stream.view().handle), cudaSuccess);
      y.download(to, stream);
      for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t n = problems[i].before.size();
        problems[i].judge(std::span<const double>(to).subspan(i * n, n));
      }
    }
  }
}

TEST(EpilogueGraph, CaptureAndReplay) {
  NZ_NEEDS(gpu);
  for (const char* kernel : {"gpu/csr/balanced", "gpu/packed/slices", "gpu/coo/segmented"}) {
    SCOPED_TRACE(kernel);
    const Problem<double> first(Op::none);
    const auto plan = plan_in({&find_kernel(kernel), gpu}, first.a.view());
    DeviceArray<double> x(gpu, first.x.size()), y(gpu, first.before.size()), sums(gpu, 2);
    const Stream stream(gpu);
    const ReadyGraph ready = captured_on(stream, [&] {
      plan.multiply(first.alpha, x.span(), first.beta, y.span(),
                    {.dot_with = x.span(), .dot = sums.data(), .norm = sums.data() + 1}, Op::none,
                    stream);
    });
    ASSERT_TRUE(ready);
    for (std::uint64_t round = 0; round < 3; ++round) {
      const Problem<double> p(Op::none, 10 + round);
      x.upload(p.x);
      y.upload(p.before);
      ASSERT_EQ(cudaGraphLaunch(ready.get(), stream.view().handle), cudaSuccess);
      std::vector<double> result(p.before.size()), found(2);
      y.download(result, stream);
      sums.download(found, stream);
      p.judge(result);
      double dot = 0, square = 0;  // exact: all numbers are small multiples of a half
      for (std::size_t i = 0; i < result.size(); ++i) {
        dot += result[i] * p.x[i];
        square += result[i] * result[i];
      }
      EXPECT_EQ(found[0], dot);
      EXPECT_EQ(found[1], std::sqrt(square));
    }
  }
}

}  // namespace
}  // namespace nz::test
#endif
