#include "gpu/allocations.hpp"
#include "gpu/problem.hpp"

// Where vectors and matrix lie, on which stream, and memory that runs out: every GPU kernel, on
// every device it was built for.
namespace nz::test {
namespace {

class Products : public ::testing::TestWithParam<Place> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Products);

TEST_P(Products, VectorsInEitherMemory) {
  NZ_NEEDS(GetParam().device);
  const Device device = GetParam().device;
  for (const Op op : ops_of(*GetParam().kernel)) {
    const Problem<double> p(op);
    const auto plan = plan_in(GetParam(), p.a.view());
    const Stream stream(device);
    for (const StreamView where : {StreamView{}, stream.view()}) {
      DeviceArray<double> x(device, std::span(p.x)), y(device, std::span(p.before));
      std::vector<double> result(p.before.size());
      {
        SCOPED_TRACE("device to device");
        plan.multiply(p.alpha, x.span(), p.beta, y.span(), op, where);
        y.download(result, where);
        p.judge(result);
      }
      {
        SCOPED_TRACE("host to host");
        result = p.before;
        plan.multiply(p.alpha, p.x, p.beta, result, op, where);
        p.judge(result);
      }
      {
        SCOPED_TRACE("device to host");
        result = p.before;
        plan.multiply(p.alpha, x.span(), p.beta, result, op, where);
        p.judge(result);
      }
      {
        SCOPED_TRACE("host to device");
        y.upload(p.before);
        plan.multiply(p.alpha, p.x, p.beta, y.span(), op, where);
        y.download(result, where);
        p.judge(result);
      }
    }
  }
}

TEST_P(Products, MatrixInDeviceMemory) {
  NZ_NEEDS(GetParam().device);
  for (const Op op : ops_of(*GetParam().kernel)) {
    const Problem<float> p(op);
    const OnDevice<float> there(GetParam().device, p.a.view());
    const auto plan = plan_in(GetParam(), there.view());
    std::vector<float> result = p.before;
    plan.multiply(p.alpha, p.x, p.beta, result, op);
    p.judge(result);
  }
}

TEST_P(Products, MemoryThatRunsOutLeavesNothingBehind) {
  NZ_NEEDS(GetParam().device);
  fail_each_allocation(GetParam());
}

// A stream of a device that does not do the work, the CPU's included.
TEST_P(Products, StreamOfAnotherDevice) {
  NZ_NEEDS(GetParam().device);
  const Problem<double> p(Op::none);
  const auto plan = plan_in(GetParam(), p.a.view());
  std::vector<double> y = p.before;
  const auto multiply_on = [&](StreamView where) {
    plan.multiply(p.alpha, p.x, p.beta, y, Op::none, where);
  };
  EXPECT_THROW(multiply_on({Device{Device::Kind::cuda, 77}, nullptr}), InvalidArgument);
  for (const DeviceInfo& other : devices()) {
    if (other.device == cpu_device || other.device == plan.device()) continue;
    const Stream stream(other.device);
    EXPECT_THROW(multiply_on(stream), InvalidArgument) << other.device.name();
  }
  EXPECT_EQ(y, p.before);
}

INSTANTIATE_TEST_SUITE_P(Registry, Products, ::testing::ValuesIn(places("gpu/*")), test_name);

}  // namespace
}  // namespace nz::test
