#include <gtest/gtest.h>

#include "kernels/conform.hpp"

// Every kernel of the registry, over every matrix of the battery, both operations, all types; those
// for GPUs on the emulator, and on the GPU where there is one.
namespace nz::test {
namespace {

class Conformance : public ::testing::TestWithParam<Place> {
 protected:
  template <class T, class O>
  void run() {
    NZ_NEEDS(GetParam().device);
    conform<T, O>(*GetParam().kernel, GetParam().device);
  }
};

TEST_P(Conformance, F32Offsets32) { run<float, std::int32_t>(); }
TEST_P(Conformance, F32Offsets64) { run<float, std::int64_t>(); }
TEST_P(Conformance, F64Offsets32) { run<double, std::int32_t>(); }
TEST_P(Conformance, F64Offsets64) { run<double, std::int64_t>(); }

INSTANTIATE_TEST_SUITE_P(Registry, Conformance, ::testing::ValuesIn(places("*")), test_name);

}  // namespace
}  // namespace nz::test
