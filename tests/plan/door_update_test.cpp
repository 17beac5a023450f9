#include "plan/given.hpp"

#include <gtest/gtest.h>

#include <nonzero/io.hpp>
#include <nonzero/solve.hpp>
#include <nonzero/truth.hpp>

#include "support/temp_dir.hpp"
#include "support/message_of.hpp"

namespace nz::test {
namespace {

template <Value T, Offset O>
Given<T, O> other_values(Given<T, O> g) {
  for (std::size_t k = 0; k < g.values.size(); ++k) g.values[k] = static_cast<T>(k % 11) - 4;
  return g;
}

constexpr const char* pattern = "random:rows=50,cols=40,density=0.2";

TEST(DoorUpdate, TakesOtherValuesWhateverTheOrder) {
  for_all_types([]<class T, class O>() {
    const auto sorted = given<T, O>(pattern);
    const Given<T, O> all[] = {sorted, turned(sorted), other_values(sorted),
                               turned(other_values(sorted))};
    for (const Place& place : all_places())
      for (const Use use : all_uses)
        for (const auto& from : all) {
          const Lying<T, O> first(from, from.view(), place);
          auto p = plan(first.view(), {.device = device_named(place.device), .op = use});
          for (const auto& to : all) {
            const Lying<T, O> now(to, to.view(), place);
            p.update_values(now.view());
            expect_products(p, to.view());
          }
          expect_products(p, all[3].view());
        }
  });
}

TEST(DoorUpdate, DuplicatesAreComparedOnceSummed) {
  const auto g = turned(doubled_up(given<double, std::int32_t>(pattern))), h = other_values(g);
  for (const std::string& device : places()) {
    auto p = plan(g.view(), {.device = device_named(device), .op = both_ops});
    p.update_values(h.view());
    expect_products(p, h.view());
    const auto sums =
        csr_from_arrays<double, std::int32_t>(g.rows, g.cols, g.offsets, g.columns, g.values);
    p.update_values(sums.view());
    expect_products(p, g.view());
    EXPECT_NE(message_of<InvalidArgument>([&] {
                p.update_values(given<double, std::int32_t>(pattern).view());
              }).find("the structure of the matrix is not the one planned for"),
              std::string::npos);
    expect_products(p, g.view());
  }
}

TEST(DoorUpdate, ASortedCopyMustBeTold) {
  for (const Place& place : all_places()) {
    auto g = turned(given<double, std::int32_t>(pattern));
    Lying<double, std::int32_t> a(g, g.view(), place);
    auto p =
        plan(a.view(), {.kernel = place.device == "cpu" ? "cpu/csr/serial" : "gpu/csr/balanced",
                        .device = device_named(place.device)});
    const auto before = g;
    for (double& v : g.values) v += 3;
    if (place.there) a.values().upload(g.values);
    expect_products(p, before.view());
    p.update_values(a.view());  // the same pointers
    expect_products(p, g.view());
  }
}

TEST(DoorUpdate, SlicesAreReadInPlace) {
  for (const Place& place : all_places()) {
    if (place.device != "cpu" && !place.there) continue;  // copied to the device
    auto g = given<double, std::int32_t>(pattern);
    Lying<double, std::int32_t> a(g, g.slice(4, 44), place);
    auto p =
        plan(a.view(), {.kernel = place.device == "cpu" ? "cpu/csr/serial" : "gpu/csr/balanced",
                        .device = device_named(place.device)});
    const auto* product = &p.product();
    for (double& v : g.values) v += 3;
    if (place.there) a.values().upload(g.values);
    expect_products(p, g.slice(4, 44));
    p.update_values(a.view());
    EXPECT_EQ(&p.product(), product);
    const auto h = other_values(g);
    const Lying<double, std::int32_t> b(h, h.slice(4, 44), place);
    p.update_values(b.view());
    expect_products(p, h.slice(4, 44));
  }
}

TEST(DoorUpdate, LooksAgain) {
  const auto g = given<double, std::int32_t>(pattern);
  for (const Place& place : all_places()) {
    const Lying<double, std::int32_t> good(g, g.view(), place);
    auto p = plan(good.view(), {.device = device_named(place.device), .op = both_ops});
    auto h = g;
    h.columns[30] = 40;
    const Lying<double, std::int32_t> bad(h, h.view(), place);
    EXPECT_NE(message_of<InvalidArgument>([&] {
                p.update_values(bad.view());
              }).find("entry 30: column 40 is not below 40"),
              std::string::npos);
    h = g;
    h.offsets[10] = -5;
    const Lying<double, std::int32_t> worse(h, h.view(), place);
    EXPECT_NE(message_of<InvalidArgument>([&] {
                p.update_values(worse.view());
              }).find("offsets[10] = -5 is below"),
              std::string::npos);
    expect_products(p, g.view());
  }
}

TEST(DoorPrepare, LooksAsAPlanDoes) {
  auto g = std::make_unique<Given<double, std::int32_t>>(
      turned(doubled_up(given<double, std::int32_t>(pattern))));
  const auto copy = *g;
  const Kernel& serial = find_kernel("cpu/csr/serial");
  const auto own = prepare(serial, g->view());
  g.reset();  // nothing of it is used
  const auto times = [](const auto& p, const CsrView<double, std::int32_t>& a, Op op) {
    const bool n = op == Op::none;
    return multiplied<double>([&](auto x, auto y) { p->multiply(op, 1.0, x, 0.0, y); },
                              n ? a.cols : a.rows, n ? a.rows : a.cols);
  };
  for (const Op op : all_ops) EXPECT_EQ(times(own, copy.view(), op), expected(copy.view(), op));
  const auto sorted = given<double, std::int32_t>(pattern);
  const auto slice = prepare(serial, sorted.slice(3, 30));
  const auto trusted = prepare(serial, sorted.view(), {}, cpu_device, Input::trusted);
  for (const Op op : all_ops) {
    EXPECT_EQ(times(slice, sorted.slice(3, 30), op), expected(sorted.slice(3, 30), op));
    EXPECT_EQ(times(trusted, sorted.view(), op), expected(sorted.view(), op));
  }
  auto bad = sorted;
  bad.columns[3] = -7;
  EXPECT_NE(message_of<InvalidArgument>([&] {
              prepare(serial, bad.view());
            }).find("entry 3: column -7 is negative"),
            std::string::npos);
  EXPECT_EQ(message_of<InvalidArgument>(
                [&] { prepare(serial, sorted.view(), {}, {Device::Kind::cuda}); }),
            "cpu/csr/serial does not run on cuda:0");
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              prepare(serial, sorted.view(), {{"width", 3}});
            }),
            "cpu/csr/serial has no parameter 'width'");
}

TEST(DoorPrepare, OthersThatTakeAMatrixLookToo) {
  const auto g = turned(doubled_up(given<double, std::int32_t>("grid:nx=5,ny=5")));
  auto bad = g;
  bad.columns[12] = 25;
  const std::string says = "column 25 is not below 25";
  const auto refused = [&](const auto& call) {
    const std::string said = message_of<InvalidArgument>(call);
    EXPECT_NE(said.find(says), said.npos) << said;
  };
  std::vector<double> x(25, 1.0), y(25, 1.0);
  const std::span<const double> in(x);
  refused([&] { choose(bad.view()); });
  EXPECT_NO_THROW(choose(g.view(), Op::transpose));
  for (const Op op : all_ops) {
    refused([&] { exact_product(bad.view(), op, 1.0, in, 0.0, in); });
    refused([&] { check_product(bad.view(), op, 1.0, in, 0.0, in, in); });
    EXPECT_TRUE(check_product<double>(g.view(), op, 0.0, in, 1.0, in, in).right());
  }
  refused([&] { solve::true_residual(bad.view(), x, y); });
  refused([&] { solve::jacobi(bad.view()); });
  refused([&] { solve::block_jacobi(bad.view(), 2); });
  const TempDir folder;
  refused([&] { write_matrix(folder("a.mtx"), bad.view()); });
  refused([&] { write_matrix(folder("a.nzb"), bad.view()); });
  EXPECT_NE(message_of<InvalidArgument>([&] {
              write_matrix(folder("a.nzb"), g.view());
            }).find(".nzb needs sorted rows"),
            std::string::npos);
  write_matrix(folder("a.mtx"), g.view());
  const auto back = read_matrix<double, std::int32_t>(folder("a.mtx"));
  EXPECT_EQ(expected(back.view(), Op::none), expected(g.view(), Op::none));
}

}  // namespace
}  // namespace nz::test
