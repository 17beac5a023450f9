#include "plan/planned.hpp"

#include <gtest/gtest.h>

#include "support/message_of.hpp"

namespace nz::test {
namespace {

Csr<double, std::int32_t> doubled(Csr<double, std::int32_t> a) {
  for (double& v : a.values) v = 2 * v + 1;
  return a;
}

TEST(UpdateValues, TakesOtherValuesForTheSameStructure) {
  const auto a = whole("grid:nx=90,ny=60"), b = doubled(a);
  for (const std::string& device : places())
    for (const Use use : {Use(Op::none), Use(Op::transpose), both_ops}) {
      auto p =
          plan(a.view(),
               {.device = device_named(device), .op = use, .store_transpose = use == both_ops});
      const std::string kernel = p.kernel().id();
      p.update_values(b.view());
      EXPECT_EQ(p.kernel().id(), kernel);
      expect_right(p, b.view());
      p.update_values(Csr(a));  // taken over
      expect_right(p, a.view());
    }
}

// Every one of the registry that runs here; those for GPUs on the emulator.
TEST(UpdateValues, WorksForEveryKernelThatWasTold) {
  const auto a = whole("fem:nx=4,ny=4,nz=3,block=3"), b = doubled(a);
  int told = 0;
  for (const Kernel& kernel : kernels())
    for (const std::string& device : places()) {
      const Device::Kind kind = device_named(device).kind;
      if (!kernel.runs_on_device(kind) || !kernel.prepare_for<double, std::int32_t>(kind)) continue;
      SCOPED_TRACE(kernel.id() + " on " + device);
      Parameters any_fill;  // the matrix is not to everybody's taste
      for (const Parameter& q : kernel.parameters)
        if (q.name == "max_ratio") any_fill.emplace(q.name, q.max);
      auto p =
          plan(a.view(),
               {.kernel = kernel.id(), .parameters = any_fill, .device = device_named(device)});
      p.update_values(b.view());
      for (const Op op : all_ops)
        if (kernel.supports(op)) {
          EXPECT_EQ(product(p, op), product(b.view(), op)) << name(op);
        }
      ++told;
    }
  EXPECT_GE(told, static_cast<int>(match_kernels("cpu/*").size()));
}

TEST(UpdateValues, OffsetsMayHaveTheOtherWidth) {
  const auto a = whole("grid:nx=20,ny=20");
  auto p = plan(a.view());
  const auto b = doubled(a);
  p.update_values(csr_cast<double, std::int64_t>(b.view()));
  expect_right(p, b.view());
}

TEST(UpdateValues, AStoredTransposeMustBeTold) {
  auto a = whole("grid:nx=20,ny=20");
  for (const bool told : {true, false}) {
    PlanOptions options{.op = both_ops, .store_transpose = true};
    if (told) options.kernel = "cpu/csr/balanced";
    auto p = plan(a.view(), options);
    ASSERT_TRUE(!told || p.stores_transpose());
    EXPECT_EQ(p.reads_in_place(), !p.stores_transpose() && p.product().borrows());
    for (double& v : a.values) v += 3;
    p.update_values(a.view());
    expect_right(p, a.view());
  }
  EXPECT_TRUE(plan(a.view(), {.kernel = "cpu/csr/balanced"}).reads_in_place());
  EXPECT_FALSE(plan(a.view(), {.kernel = "cpu/coo/serial"}).reads_in_place());
}

TEST(UpdateValues, InPlaceNeedsNothing) {
  auto a = whole("grid:nx=20,ny=20");
  auto p = plan(a.view(), {.kernel = "cpu/csr/serial"});
  const auto* before = &p.product();
  for (double& v : a.values) v += 3;
  expect_right(p, a.view());
  p.update_values(a.view());
  EXPECT_EQ(&p.product(), before);
  expect_right(p, a.view());
  auto q = plan(a.view(), {.kernel = "cpu/coo/serial"});
  a.values[0] += 5;
  q.update_values(a.view());
  expect_right(q, a.view());
}

TEST(UpdateValues, SaysWhatDiffers) {
  const auto a = whole("grid:nx=90,ny=60");
  for (const std::string& device : places()) {
    auto p = plan(a.view(), {.device = device_named(device)});
    const auto said = [&](const Csr<double, std::int32_t>& b) {
      return message_of<InvalidArgument>([&] { p.update_values(b.view()); });
    };
    const std::string but = "the structure of the matrix is not the one planned for: ";
    EXPECT_EQ(said(whole("grid:nx=60,ny=60")), but + "it was 5400 x 5400, now 3600 x 3600");
    auto wider = a, higher = a;
    ++wider.cols;
    EXPECT_EQ(said(wider), but + "it was 5400 x 5400, now 5400 x 5401");
    ++higher.rows;
    higher.offsets = Array<std::int32_t>(static_cast<std::size_t>(higher.rows) + 1);
    std::copy(a.offsets.begin(), a.offsets.end(), higher.offsets.begin());
    higher.offsets[5401] = a.offsets[5400];
    EXPECT_EQ(said(higher), but + "it was 5400 x 5400, now 5401 x 5400");
    EXPECT_EQ(said(whole("grid:nx=60,ny=90")), but + "rows have other lengths");
    EXPECT_EQ(said(whole("diagonal:n=5400")), but + "it had 26700 nonzeros, now 5400");
    auto b = a;
    b.columns[b.columns.size() - 1] -= 1;
    b.columns[b.columns.size() - 2] -= 1;
    EXPECT_EQ(said(b), but + "nonzeros are in other columns");
    expect_right(p, a.view());
  }
}

}  // namespace
}  // namespace nz::test
