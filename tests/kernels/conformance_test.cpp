#include <gtest/gtest.h>

#include "kernels/conform.hpp"

// Every kernel of the registry, over every matrix of the battery, both operations, all types.
namespace nz::test {
namespace {

class Conformance : public ::testing::TestWithParam<const Kernel*> {};

TEST_P(Conformance, F32Offsets32) { conform<float, std::int32_t>(*GetParam()); }
TEST_P(Conformance, F32Offsets64) { conform<float, std::int64_t>(*GetParam()); }
TEST_P(Conformance, F64Offsets32) { conform<double, std::int32_t>(*GetParam()); }
TEST_P(Conformance, F64Offsets64) { conform<double, std::int64_t>(*GetParam()); }

INSTANTIATE_TEST_SUITE_P(Registry, Conformance, ::testing::ValuesIn(match_kernels("*")), test_name);

}  // namespace
}  // namespace nz::test
