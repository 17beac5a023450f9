#ifdef NZ_HAVE_CUDA
#include "gpu/graph.hpp"

namespace nz::test {
namespace {

class Graphs : public ::testing::TestWithParam<Place> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Graphs);

TEST_P(Graphs, CaptureAndReplay) {
  NZ_NEEDS(GetParam().device);
  for (const Op op : ops_of(*GetParam().kernel)) {
    SCOPED_TRACE(name(op));
    capture_and_replay<float>(*GetParam().kernel, op);
    capture_and_replay<double>(*GetParam().kernel, op);
  }
}

std::vector<Place> on_gpus() {
  std::vector<Place> all = places("gpu/*");
  std::erase_if(all, [](const Place& p) { return p.device.kind != Device::Kind::cuda; });
  return all;
}
INSTANTIATE_TEST_SUITE_P(Registry, Graphs, ::testing::ValuesIn(on_gpus()), test_name);

}  // namespace
}  // namespace nz::test
#endif
