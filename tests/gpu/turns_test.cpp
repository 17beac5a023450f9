#include "plan/turns.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/registry.hpp>

#include "gpu/conversions.hpp"
#include "gpu/problem.hpp"
#include "plan/make_product.hpp"
#include "plan/part_picker.hpp"
#include "simt/backend.hpp"

// A plan that asks a GPU's clock. Which product is the faster depends on the machine; that the
// faster one is taken does not.
namespace nz::test {
namespace {

struct TurnsOnEmulator {
  TurnsOnEmulator() { take_turns_on_emulator(true); }
  ~TurnsOnEmulator() { take_turns_on_emulator(false); }
};

class Turns : public ::testing::TestWithParam<Device> {};

TEST_P(Turns, TimeEachProductOnce) {
  const Device device = GetParam();
  NZ_NEEDS(device);
  const Problem<double> p(Op::none);
  const OnDevice<double> there(device, p.a.view());
  const std::size_t before = simt::live_allocations();
  for (const Op op : all_ops) {
    std::vector<std::unique_ptr<Product<double>>> products;
    std::vector<Rival<double>> all;
    for (const char* id : {"gpu/csr/balanced", "gpu/coo/slots", "gpu/compact/balanced"}) {
      const Kernel& kernel = find_kernel(id);
      products.push_back(make_product(kernel, there.view(), kernel.resolve({}), device));
      all.push_back({products.back().get(), op});
    }
    const bool n = op == Op::none;
    const std::vector<double> seconds =
        time_in_turns<double>(all, n ? p.a.cols : p.a.rows, n ? p.a.rows : p.a.cols);
    ASSERT_EQ(seconds.size(), all.size());
    for (const double s : seconds) {
      EXPECT_GT(s, 0);
      EXPECT_LT(s, 60);
    }
  }
  // Several vectors, in either layout.
  for (const Layout layout : {Layout::row_major, Layout::column_major}) {
    const OnDevice<double>& a = there;
    const Kernel& kernel = find_kernel("gpu/coo/slots");
    const auto product = make_product(kernel, a.view(), kernel.resolve({}), device);
    const Rival<double> one{product.get(), Op::none};
    const auto seconds = time_in_turns<double>(std::span(&one, 1), p.a.cols, p.a.rows, 3, layout);
    ASSERT_EQ(seconds.size(), 1u);
    EXPECT_GT(seconds[0], 0);
  }
  EXPECT_TRUE(time_in_turns<double>({}, 1, 1).empty());
  EXPECT_EQ(simt::live_allocations(), before);
}

TEST_P(Turns, AreTakenOnGpusAlone) {
  EXPECT_FALSE(takes_turns(cpu_device));
  EXPECT_TRUE(takes_turns({Device::Kind::cuda, 0}));
  EXPECT_FALSE(takes_turns(emulator_device));
  const TurnsOnEmulator on;
  EXPECT_TRUE(takes_turns(emulator_device));
}

// Three kernels that are predicted to take the same, in products that are long enough to pay.
struct Stage {
  explicit Stage(Device where, Op wanted)
      : device(where), op(wanted), problem(wanted), there(where, problem.a.view()) {
    state.rows = problem.a.rows;
    state.cols = problem.a.cols;
    selection.features.nnz = problem.a.nnz();
    for (const char* id : {"gpu/csr/balanced", "gpu/coo/slots", "gpu/compact/balanced"})
      selection.candidates.push_back({.kernel = &find_kernel(id),
                                      .n_seconds = 1e-3,
                                      .t_seconds = 1e-3,
                                      .setup_seconds = 1e-4,
                                      .bytes = 1e5});
    selection.usable = selection.in_time = selection.candidates.size();
  }
  PlanPart<double> picked(const Constraints& w) {
    PartPicker<double, std::int32_t> picker{state, options, device};
    return picker.best_of(selection, {.view = there.view()}, 0, w);
  }
  std::ptrdiff_t measured() const {
    return std::count_if(selection.candidates.begin(), selection.candidates.end(),
                         [](const Candidate& c) { return c.measured_seconds > 0; });
  }
  void judge(const PlanPart<double>& part) const {
    const DeviceArray<double> x(device, problem.x);
    DeviceArray<double> y(device, problem.before);
    part.product->multiply(op, problem.alpha, {x.data(), x.size()}, problem.beta, y.span());
    std::vector<double> here(y.size());
    y.download(here);
    problem.judge(here);
  }

  Device device;
  Op op;
  Problem<double> problem;
  OnDevice<double> there;
  Plan<double>::State state;
  PlanOptions options{};
  Selection selection;
};

TEST_P(Turns, TheFastestIsTaken) {
  const Device device = GetParam();
  NZ_NEEDS(device);
  const TurnsOnEmulator on;
  for (const Use use : {Use(Op::none), Use(Op::transpose), both_ops}) {
    Stage stage(device, use.n ? Op::none : Op::transpose);
    const Constraints w{.use = use};
    const PlanPart<double> part = stage.picked(w);
    EXPECT_EQ(stage.measured(), 3);
    const std::vector<Candidate>& all = stage.selection.candidates;
    EXPECT_EQ(all[0].kernel, part.kernel);
    EXPECT_TRUE(all[0].why_not.empty());
    for (std::size_t i = 1; i < all.size(); ++i) {
      EXPECT_FALSE(better(all[i], all[0], w)) << all[i].kernel->id();
      EXPECT_EQ(all[i].why_not, "measured to be slower");
    }
    EXPECT_GT(stage.state.story.converting, 0);
    EXPECT_GT(stage.state.story.timing, 0);
    stage.judge(part);
  }
}

// The same bits in every process need the same choice.
TEST_P(Turns, ADeterministicPlanGoesByPredictions) {
  const Device device = GetParam();
  NZ_NEEDS(device);
  const TurnsOnEmulator on;
  Stage stage(device, Op::none);
  const PlanPart<double> part = stage.picked({.use = Op::none, .deterministic = true});
  EXPECT_EQ(part.kernel->id(), "gpu/csr/balanced");
  EXPECT_EQ(stage.measured(), 0);
}

// Whatever the memory was for, the plan is made, by predictions where there is none for turns.
TEST_P(Turns, MemoryMayBeShort) {
  const Device device = GetParam();
  NZ_NEEDS(device);
  const TurnsOnEmulator on;
  Stage first(device, Op::none);
  first.picked({.use = Op::none});
  const std::size_t before = simt::live_allocations();
  int by_prediction = 0;
  for (int after = 0; after < 30; ++after) {
    Stage stage(device, Op::none);
    simt::fail_allocation_after(after);
    const PlanPart<double> part = stage.picked({.use = Op::none});
    simt::fail_allocation_after(-1);
    EXPECT_TRUE(stage.measured() == 0 || stage.measured() == 3) << after;
    if (stage.measured() == 0) ++by_prediction;
    stage.judge(part);
  }
  EXPECT_GT(by_prediction, 5);
  EXPECT_EQ(simt::live_allocations(), before);
}

// One that is over the limit once it is made leaves the choice to predictions, too.
TEST_P(Turns, TheMemoryLimitHolds) {
  const Device device = GetParam();
  NZ_NEEDS(device);
  const TurnsOnEmulator on;
  Stage stage(device, Op::none);
  std::swap(stage.selection.candidates[0], stage.selection.candidates[1]);
  stage.options.memory_limit = 100;  // CSR as it lies keeps less
  const PlanPart<double> part = stage.picked({.use = Op::none, .memory_limit = 100});
  EXPECT_EQ(part.kernel->id(), "gpu/csr/balanced");
  EXPECT_EQ(stage.measured(), 0);
  EXPECT_EQ(stage.selection.candidates[1].why_not, "over the memory limit");
}

INSTANTIATE_TEST_SUITE_P(, Turns, ::testing::ValuesIn(built_for()), made_on_name);

}  // namespace
}  // namespace nz::test
