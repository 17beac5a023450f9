#include "plan/planned.hpp"

#include <gtest/gtest.h>

#include "support/message_of.hpp"

namespace nz::test {
namespace {

constexpr const char* grid = "grid:nx=90,ny=60";  // 26,700 nonzeros: looked at
constexpr const char* tall = "random:rows=900,cols=300,density=0.1";

TEST(PlanOptions, RefusesDevicesThatCannotBe) {
  const auto a = generate("grid:nx=4,ny=4").matrix;
  EXPECT_THROW(plan(a.view(), {.device = Device{Device::Kind::cpu, 1}}), InvalidArgument);
  EXPECT_THROW(plan(a.view(), {.device = Device{Device::Kind::emulator, 3}}), InvalidArgument);
  EXPECT_THROW(plan(a.view(), {.device = Device{Device::Kind::cuda, 1000}}), Error);
}

TEST(PlanOptions, EveryUseAndEffortIsRightOnEveryDevice) {
  for (const char* spec : {grid, tall, "empty:rows=4,cols=3"}) {
    const auto a = whole(spec);
    for (const std::string& device : places())
      for (const Use use : {Use(Op::none), Use(Op::transpose), both_ops})
        for (const Effort effort : {Effort::instant, Effort::balanced})
          for (const bool two : {false, true}) {
            SCOPED_TRACE(std::string(spec) + " on " + device);
            const auto p = plan(a.view(), {.device = device_named(device),
                                           .op = use,
                                           .effort = effort,
                                           .store_transpose = two});
            expect_right(p, a.view());
            EXPECT_TRUE(!p.stores_transpose() || use == both_ops);
          }
  }
}

TEST(PlanOptions, DeterministicPlansPromiseOnlyWhatTheyWereMadeFor) {
  const auto a = whole(grid);
  for (const std::string& device : places())
    for (const Use use : {Use(Op::none), Use(Op::transpose), both_ops}) {
      const auto p =
          plan(a.view(), {.device = device_named(device), .op = use, .deterministic = true});
      for (const Op op : all_ops) {
        if (use.has(op)) {
          EXPECT_EQ(product(p, op), product(a.view(), op)) << device;
        } else if (p.supports(op)) {
          EXPECT_NO_THROW(product(p, op)) << device;
        } else {
          const std::string said = message_of<InvalidArgument>([&] { product(p, op); });
          EXPECT_NE(said.find("the same bits"), said.npos);
          EXPECT_NE(said.find(name(op)), said.npos);
        }
      }
    }
}

// What a plan says of its bits is what the kernel's entry says, whichever way around it was
// prepared.
TEST(PlanOptions, SaysWhichProductsRepeatTheirBits) {
  const auto a = whole(grid);
  const auto told = [&](const char* kernel, Device device) {
    const auto p = plan(a.view(), {.kernel = kernel, .device = device});
    return std::pair(p.repeats(Op::none), p.repeats(Op::transpose));
  };
  EXPECT_EQ(told("cpu/csr/serial", cpu_device), std::pair(true, true));
  for (const std::string& device : places()) {
    const auto p = plan(a.view(), {.device = device_named(device), .deterministic = true});
    EXPECT_TRUE(p.repeats(Op::none)) << device;
    const auto t = plan(
        a.view(), {.device = device_named(device), .op = Op::transpose, .deterministic = true});
    EXPECT_TRUE(t.repeats(Op::transpose)) << device;
  }
  if (places().size() < 2) return;
  EXPECT_EQ(told("gpu/coo/slots", emulator_device), std::pair(true, false));  // T adds with atomics
}

TEST(PlanOptions, DeterministicIsPossibleForEveryMatrixUseAndEffort) {
  for (const char* spec :
       {grid, "grid:nx=9,ny=9", "empty:rows=4,cols=3", "giant:n=3000,length=2500"}) {
    const auto a = whole(spec);
    for (const std::string& device : places())
      for (const Use use : {Use(Op::none), Use(Op::transpose), both_ops})
        for (const Effort effort : {Effort::instant, Effort::balanced}) {
          SCOPED_TRACE(std::string(spec) + " on " + device);
          const auto p = plan(
              a.view(),
              {.device = device_named(device), .op = use, .effort = effort, .deterministic = true});
          for (const Op op : all_ops) {
            if (!use.has(op)) continue;
            EXPECT_EQ(product(p, op), product(a.view(), op));
          }
        }
  }
}

TEST(PlanOptions, DeterministicPlansRepeatTheirBits) {
  auto a = whole("random:rows=300,cols=200,density=0.2");
  for (std::size_t k = 0; k < a.values.size(); ++k) a.values[k] = 1.0 / static_cast<double>(k + 3);
  for (const std::string& device : places())
    for (const bool two : {false, true}) {
      const auto p = plan(a.view(), {.device = device_named(device),
                                     .op = both_ops,
                                     .deterministic = true,
                                     .store_transpose = two});
      for (const Op op : all_ops) {
        const auto first = product(p, op);
        for (int again = 0; again < 3; ++again) EXPECT_EQ(product(p, op), first) << device;
      }
    }
}

TEST(PlanOptions, OneCopyOfTheTransposeDoesT) {
  if (places().size() < 2) GTEST_SKIP() << "built without the emulator";
  const auto a = whole("grid:nx=40,ny=40");  // small: CSR is all there is
  const auto p =
      plan(a.view(), {.device = emulator_device, .op = Op::transpose, .deterministic = true});
  EXPECT_TRUE(p.transposed());
  EXPECT_FALSE(p.stores_transpose());
  EXPECT_LT(static_cast<double>(p.bytes()), 1.2 * static_cast<double>(a.bytes()));
  EXPECT_EQ(product(p, Op::transpose), product(a.view(), Op::transpose));
  EXPECT_TRUE(p.reason().ends_with(", from the transpose")) << p.reason();
  EXPECT_NE(message_of<InvalidArgument>([&] { product(p, Op::none); }).find("deterministic"),
            std::string::npos);
}

TEST(PlanOptions, AStoredTransposeMakesBothPlain) {
  if (places().size() < 2) GTEST_SKIP() << "built without the emulator";
  const auto a = whole("grid:nx=40,ny=40");
  const PlanOptions options{.device = emulator_device, .op = both_ops, .store_transpose = true};
  const auto p = plan(a.view(), options);
  EXPECT_TRUE(p.stores_transpose());
  const std::size_t both = p.bytes();  // products add what host vectors go through
  expect_right(p, a.view());
  PlanOptions for_n = options;
  for_n.op = Op::none;
  EXPECT_EQ(both, 2 * plan(a.view(), for_n).bytes()) << "the matrix is symmetric";
  PlanOptions tight = options;
  tight.memory_limit = a.bytes();  // less than two copies are predicted to take
  const auto one = plan(a.view(), tight);
  EXPECT_FALSE(one.stores_transpose());
  EXPECT_LE(one.bytes(), tight.memory_limit);
  expect_right(one, a.view());
}

TEST(PlanOptions, AMemoryLimitIsKeptOrNamed) {
  auto a = whole(grid);
  for (const std::string& device : places()) {
    const std::string said = message_of<NoResource>(
        [&] { plan(Csr(a), {.device = device_named(device), .memory_limit = 1000}); });
    EXPECT_TRUE(said.starts_with("no kernel keeps this matrix in 1000 B on " + device)) << said;
    EXPECT_NE(said.find("the smallest, "), said.npos) << said;
    const auto limit = a.bytes() * 11 / 10;
    const auto p = plan(Csr(a), {.device = device_named(device), .memory_limit = limit});
    EXPECT_LE(p.bytes(), limit);
  }
  EXPECT_EQ(plan(a.view(), {.effort = Effort::instant, .memory_limit = 100'000}).kernel().format,
            "csr")
      << "what is borrowed does not count";
  const std::string told = message_of<NoResource>(
      [&] { plan(a.view(), {.kernel = "cpu/coo/serial", .memory_limit = 1000}); });
  EXPECT_EQ(told, "cpu/coo/serial keeps 417.2 KiB, the memory limit is 1000 B");
}

TEST(PlanOptions, AKernelThatWasToldObeys) {
  const auto a = whole(tall);
  const auto p =
      plan(a.view(), {.kernel = "cpu/csr/serial", .op = both_ops, .store_transpose = true});
  EXPECT_TRUE(p.stores_transpose());
  expect_right(p, a.view());
  EXPECT_TRUE(p.reason().empty());
  if (places().size() < 2) return;
  EXPECT_NE(message_of<InvalidArgument>([&] {
              plan(a.view(), {.kernel = "gpu/csr/balanced",
                              .device = emulator_device,
                              .op = Op::transpose,
                              .deterministic = true});
            }).find("does not give the same bits every time for op = T"),
            std::string::npos);
  const auto tiles = plan(a.view(), {.kernel = "gpu/tile/balanced",
                                     .device = emulator_device,
                                     .op = Op::transpose,
                                     .deterministic = true});
  EXPECT_EQ(tiles.parameters().at("deterministic"), 1);
  EXPECT_THROW(plan(a.view(), {.kernel = "gpu/tile/balanced",
                               .parameters = {{"deterministic", 0}},
                               .device = emulator_device,
                               .deterministic = true}),
               InvalidArgument);
}

TEST(PlanOptions, APlanIsForSomething) {
  const auto a = whole(tall);
  EXPECT_EQ(message_of<InvalidArgument>([&] { plan(a.view(), {.op = Use(false, false)}); }),
            "a plan for neither N nor T");
}

}  // namespace
}  // namespace nz::test
