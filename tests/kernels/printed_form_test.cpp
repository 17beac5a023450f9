#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/plan.hpp>
#include <nonzero/registry.hpp>

#include "gpu/problem.hpp"
#include "kernels/index_bits.hpp"

// The forms of papers' kernels: as printed, with scalars, and counted in 64 bits. Conformance tries
// what they begin with, and draws others.
namespace nz::test {
namespace {

const Parameter* parameter(const Kernel& k, std::string_view name) {
  for (const Parameter& p : k.parameters)
    if (p.name == name) return &p;
  return nullptr;
}

std::vector<Place> with_forms() {
  std::vector<Place> all;
  for (const Place& p : places("gpu/*"))
    if (parameter(*p.kernel, "bare")) all.push_back(p);
  return all;
}

class PrintedForm : public ::testing::TestWithParam<Place> {
 protected:
  const Kernel& kernel() const { return *GetParam().kernel; }

  // The parameters alone, and with each of the others that is 0 or 1 the other way round.
  std::vector<Parameters> variants(Parameters form) const {
    form.merge(without_limit(kernel()));
    std::vector<Parameters> all{form};
    for (const Parameter& p : kernel().parameters) {
      if (p.min != 0 || p.max != 1 || p.name == "bare") continue;
      all.push_back(form);
      all.back()[std::string(p.name)] = 1 - p.initial;
    }
    return all;
  }

  template <class T, class O>
  void try_all(const Parameters& parameters) const {
    for (const Op op : ops_of(kernel())) {
      Problem<T> problem(op);
      const auto a = csr_cast<T, O>(csr_cast<double, std::int64_t>(problem.a.view()).view());
      const auto plan = nz::plan(
          a.view(),
          {.kernel = kernel().id(), .parameters = parameters, .device = GetParam().device});
      for (const auto& [alpha, beta] :
           {std::pair{1.0, 0.0}, {1.0, 1.0}, {1.0, -0.5}, {-1.5, 0.0}, {1.5, -0.5}}) {
        SCOPED_TRACE(fmt::format("{}{}, {}, offsets of {} bits, {}, alpha {}, beta {}",
                                 kernel().id(), text(parameters), nz::name(value_type_of<T>),
                                 8 * sizeof(O), name(op), alpha, beta));
        problem.alpha = static_cast<T>(alpha);
        problem.beta = static_cast<T>(beta);
        std::vector<T> start = problem.before;
        if (beta == 0) start.assign(start.size(), nan<T>);
        Guarded<T> y(start);
        multiply<T>(plan, op, problem.alpha, problem.x, problem.beta, y);
        EXPECT_TRUE(y.intact()) << "wrote outside y";
        problem.judge(y.span());
      }
    }
  }
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PrintedForm);

TEST_P(PrintedForm, EveryFormIsRight) {
  NZ_NEEDS(GetParam().device);
  for (const std::int64_t bare : {0, 1})
    for (const std::int64_t bits : {32, 64})
      for (const Parameters& p : variants({{"bare", bare}, {"index_bits", bits}})) {
        try_all<float, std::int32_t>(p);
        try_all<double, std::int64_t>(p);
        if (HasFailure()) return;
      }
}

TEST_P(PrintedForm, IsWhatTheyBeginWith) {
  EXPECT_EQ(parameter(kernel(), "bare")->initial, 1);
  ASSERT_NE(parameter(kernel(), "index_bits"), nullptr);
  EXPECT_EQ(parameter(kernel(), "index_bits")->initial, 32);
  EXPECT_NE(kernel().source, "own");
}

// Far enough from 2^31 that a block's steps beyond the last entry do not reach it.
TEST(IndexBits, SixtyFourWhereThirtyTwoDoNotCount) {
  const std::int64_t most = std::numeric_limits<std::int32_t>::max();
  EXPECT_TRUE(counts_in_32_bits(0));
  EXPECT_TRUE(counts_in_32_bits(most - 8 * 1024 * 128 - 1));
  EXPECT_FALSE(counts_in_32_bits(most - 7 * 1024));
  EXPECT_FALSE(counts_in_32_bits(most + 1));
}

INSTANTIATE_TEST_SUITE_P(, PrintedForm, ::testing::ValuesIn(with_forms()), test_name);

}  // namespace
}  // namespace nz::test
