#include "plan/given.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/message_of.hpp"

namespace nz::test {
namespace {

// 6 x 5, of which row 1 is empty.
template <Value T, Offset O>
Given<T, O> small() {
  return {6,
          5,
          10,
          {0, 3, 3, 5, 6, 9, 10},
          {0, 2, 4, 1, 3, 0, 1, 2, 4, 3},
          {1, 2, 3, 4, 5, 6, 7, 8, 9, 1}};
}

template <Value T, Offset O>
struct Fault {
  std::string says;
  std::function<void(Given<T, O>&)> make;
};

template <Value T, Offset O>
std::vector<Fault<T, O>> faults() {
  using G = Given<T, O>;
  constexpr O most = std::numeric_limits<O>::max(), least = std::numeric_limits<O>::min();
  return {
      {"the matrix is -6 x 5", [](G& g) { g.rows = -6; }},
      {"the matrix is 6 x -5", [](G& g) { g.cols = -5; }},
      {"the matrix has -10 nonzeros", [](G& g) { g.nnz = -10; }},
      {"offsets[2] = 2 is below offsets[1] = 3", [](G& g) { g.offsets[2] = 2; }},
      {"offsets[5] = 5 is below offsets[4] = 6", [](G& g) { g.offsets[5] = 5; }},
      {"offsets[1] = " + std::to_string(least) + " is below offsets[0] = 0",
       [](G& g) { g.offsets[1] = least; }},
      {"offsets[3] = 5 is below offsets[2] = " + std::to_string(most),
       [](G& g) { g.offsets[2] = most; }},
      {"offsets[0] = -1 is negative", [](G& g) { g.offsets[0] = -1; }},
      {"offsets[0] = " + std::to_string(least) + " is negative",
       [](G& g) { g.offsets[0] = least; }},
      {"offsets[0] = 0 and offsets[6] = 10 make 10 entries, not 11", [](G& g) { g.nnz = 11; }},
      {"offsets[0] = 0 and offsets[6] = 10 make 10 entries, not 0", [](G& g) { g.nnz = 0; }},
      {"offsets[0] = 0 and offsets[6] = " + std::to_string(most) + " make " + std::to_string(most) +
           " entries, not 10",
       [](G& g) { g.offsets[6] = most; }},
      {"offsets[0] = 2 and offsets[6] = 10 make 8 entries, not 10", [](G& g) { g.offsets[0] = 2; }},
      {"row 0, entry 2: column 5 is not below 5 (counting from 0)", [](G& g) { g.columns[2] = 5; }},
      {"row 2, entry 3: column 2147483647 is not below 5 (counting from 0)",
       [](G& g) { g.columns[3] = 2147483647; }},
      {"row 2, entry 3: column -1 is negative (counting from 0)", [](G& g) { g.columns[3] = -1; }},
      {"row 5, entry 9: column -2147483648 is negative (counting from 0)",
       [](G& g) { g.columns[9] = std::numeric_limits<index_t>::min(); }},
      {"row 3, entry 5: column 7 is not below 5 (counting from 0)",
       [](G& g) { g.columns[9] = -3, g.columns[5] = 7; }},
      {"row 0, entry 0: column 0 is not below 0 (counting from 0)", [](G& g) { g.cols = 0; }},
  };
}

TEST(Door, RefusesWhatIsNoMatrixAndNamesThePlace) {
  for_all_types([]<class T, class O>() {
    for (const Fault<T, O>& fault : faults<T, O>()) {
      auto g = small<T, O>();
      fault.make(g);
      for (const Place& place : all_places()) {
        const Lying<T, O> a(g, g.view(), place);
        for (const Use use : all_uses)
          for (const Effort effort : all_efforts)
            EXPECT_EQ(message_of<InvalidArgument>([&] {
                        plan(a.view(), {.device = device_named(place.device),
                                        .op = use,
                                        .effort = effort,
                                        .cache = {.use = false}});
                      }),
                      fault.says)
                << place.device << (place.there ? " there" : "");
      }
    }
  });
}

TEST(Door, RefusesMissingArrays) {
  const auto g = small<double, std::int32_t>();
  for (const std::string& device : places()) {
    auto a = g.view();
    const auto said = [&] {
      return message_of<InvalidArgument>([&] { plan(a, {.device = device_named(device)}); });
    };
    a.values = nullptr;
    EXPECT_EQ(said(), "the matrix has nonzeros, but no values");
    a.columns = nullptr;
    EXPECT_EQ(said(), "the matrix has nonzeros, but no columns");
    a.offsets = nullptr;
    EXPECT_EQ(said(), "the matrix has no offsets: a CSR matrix has rows + 1, also without rows");
    EXPECT_EQ(message_of<InvalidArgument>(
                  [&] { plan(CsrView<double, std::int32_t>{}, {.device = device_named(device)}); }),
              "the matrix has no offsets: a CSR matrix has rows + 1, also without rows");
    const std::int32_t zero = 0;
    const auto p =
        plan(CsrView<double, std::int32_t>{.offsets = &zero}, {.device = device_named(device)});
    EXPECT_EQ(p.rows(), 0);
  }
}

// A far one among many, on several threads.
TEST(Door, FindsTheFirstOfManyPlaces) {
  auto a = whole("grid:nx=300,ny=300");
  const auto said = [&](int threads) {
    return message_of<InvalidArgument>([&] { plan(a.view(), {.threads = threads}); });
  };
  const auto k = static_cast<std::size_t>(a.offsets[70'001]);
  for (const std::size_t at : {k, k + 7, a.columns.size() - 1}) a.columns[at] = 90'000;
  for (const int threads : {1, 2, 3, 7})
    EXPECT_EQ(said(threads), "row 70001, entry " + std::to_string(k) +
                                 ": column 90000 is not below 90000 (counting from 0)");
  a.offsets[80'000] = a.offsets[60'000] = 5;
  for (const int threads : {1, 2, 3, 7})
    EXPECT_TRUE(said(threads).starts_with("offsets[60000] = 5 is below offsets[59999] = "));
}

// Wherever in the arrays it lies, and however they are aligned: devices take several columns at a
// time, and many blocks.
TEST(Door, FindsAFaultAtEveryPlaceOfASlice) {
  using G = Given<float, std::int32_t>;
  G whole{9, 100, 30, {0, 1, 2, 3, 4, 11, 11, 14, 25, 30}, {}, {}};
  for (index_t i = 0; i < whole.rows; ++i)
    for (auto k = whole.offsets[i]; k < whole.offsets[i + 1]; ++k)
      whole.columns.push_back(90 - 7 * i + k - whole.offsets[i]);  // each row begins below the last
  whole.values.assign(whole.columns.size(), 1);
  for (const Place& place : all_places())
    for (index_t begin = 0; begin < 5; ++begin) {
      const auto look = [&](const G& g) {
        const Lying<float, std::int32_t> a(g, g.slice(begin, g.rows), place);
        return plan(a.view(), {.device = device_named(place.device), .effort = Effort::instant});
      };
      SCOPED_TRACE(fmt::format("{} {} from row {}", place.device, place.there, begin));
      EXPECT_EQ(look(whole).explain().input.find("not sorted"), std::string::npos);
      for (index_t row = begin; row < whole.rows; ++row)
        for (auto k = whole.offsets[row]; k < whole.offsets[row + 1]; ++k) {
          const auto at = static_cast<std::size_t>(k);
          G bad = whole;
          bad.columns[at] = 100;
          EXPECT_EQ(message_of<InvalidArgument>([&] { look(bad); }),
                    fmt::format("row {}, entry {}: column 100 is not below 100 (counting from 0)",
                                row - begin, k));
          if (k == whole.offsets[row]) continue;
          G twice = whole;
          twice.columns[at] = twice.columns[at - 1];
          EXPECT_NE(look(twice).explain().input.find("not sorted"), std::string::npos) << k;
        }
    }
}

TEST(Door, TakesUnsortedRowsDuplicatesAndSlices) {
  for_all_types([]<class T, class O>() {
    const auto sorted = given<T, O>("random:rows=40,cols=30,density=0.2");
    const struct {
      const char* what;
      Given<T, O> arrays;
      bool slice, sorted;
    } kinds[] = {{"sorted", sorted, false, true},
                 {"unsorted", turned(sorted), false, false},
                 {"duplicates", doubled_up(sorted), false, false},
                 {"unsorted duplicates", turned(doubled_up(sorted)), false, false},
                 {"slice", sorted, true, true},
                 {"unsorted slice", turned(doubled_up(sorted)), true, false}};
    for (const auto& kind : kinds)
      for (const Place& place : all_places()) {
        const auto here = kind.slice ? kind.arrays.slice(7, 29) : kind.arrays.view();
        const Lying<T, O> a(kind.arrays, here, place);
        for (const Use use : all_uses)
          for (const Effort effort : all_efforts) {
            // The emulator takes its time.
            if (effort == Effort::thorough && place.device == "emu" && !std::is_same_v<T, double>)
              continue;
            SCOPED_TRACE(std::string(kind.what) + " on " + place.device +
                         (place.there ? ", there" : ""));
            const auto p = plan(a.view(), {.device = device_named(place.device),
                                           .op = use,
                                           .effort = effort,
                                           .cache = {.use = false}});
            expect_products(p, here);
            EXPECT_EQ(p.explain().input.empty(), kind.sorted && !kind.slice);
            EXPECT_GT(p.explain().checking, 0);
          }
      }
  });
}

// Large enough for several threads, each with a part of the columns to itself.
TEST(Door, TransposedProductsOfUnsortedRowsStayWithinTheirMemory) {
  const auto g = turned(given<double, std::int32_t>("random:rows=3000,cols=5000,density=0.01"));
  for (const int threads : {1, 3, 4})
    for (const Use use : all_uses)
      expect_products(plan(g.view(), {.threads = threads, .op = use}), g.view());
}

// Each kernel with each product that it has; some decline a band, most must not.
TEST(Door, EveryKernelTakesThem) {
  const auto g = turned(doubled_up(given<double, std::int32_t>("banded:n=120,lower=3,upper=3")));
  const auto whole_matrix = given<double, std::int32_t>("banded:n=120,lower=3,upper=3");
  for (const Place& place : all_places()) {
    int all = 0, refused = 0;
    for (const Kernel& k : kernels()) {
      if (!k.runs_on_device(device_named(place.device).kind) || k.family == "peer") continue;
      Parameters parameters;
      for (const Parameter& q : k.parameters)
        if (q.name == "max_ratio") parameters.emplace(q.name, q.max);
      for (const auto& [arrays, view] :
           {std::pair(&g, g.slice(5, 115)), std::pair(&whole_matrix, whole_matrix.slice(5, 115))}) {
        SCOPED_TRACE(k.id() + " on " + place.device);
        const Lying<double, std::int32_t> a(*arrays, view, place);
        ++all;
        try {
          const auto p = plan(
              a.view(),
              {.kernel = k.id(), .parameters = parameters, .device = device_named(place.device)});
          for (const Op op : all_ops) {
            if (!k.supports(op)) continue;
            const bool n = op == Op::none;
            EXPECT_EQ(multiplied<double>([&](auto x, auto y) { p.multiply(1.0, x, 0.0, y, op); },
                                         n ? view.cols : view.rows, n ? view.rows : view.cols),
                      expected(view, op))
                << name(op);
          }
        } catch (const Refused&) {
          ++refused;
        }
      }
    }
    EXPECT_LT(4 * refused, all) << place.device;
  }
}

TEST(Door, OwnersAreLookedAtToo) {
  using Wide = Csr<double, std::int64_t>;
  const auto with = [](const std::function<void(Wide&)>& change) {
    Wide a = csr_cast<double, std::int64_t>(whole("grid:nx=3,ny=2").view());
    change(a);
    return message_of<InvalidArgument>([&] { plan(std::move(a)); });
  };
  EXPECT_EQ(with([](Wide& a) { a.rows = -1; }), "the matrix is -1 x 6");
  EXPECT_EQ(with([](Wide& a) { a.rows = 7; }), "offsets of the matrix are 7 elements, not 8");
  EXPECT_EQ(with([](Wide& a) { a.offsets = {}; }), "offsets of the matrix are 0 elements, not 7");
  EXPECT_EQ(with([](Wide& a) { a.values.truncate(3); }),
            "values of the matrix are 3 elements, not 20");
  EXPECT_EQ(with([](Wide& a) { a.columns.truncate(19), a.values.truncate(19); }),
            "offsets[0] = 0 and offsets[6] = 20 make 20 entries, not 19");
  EXPECT_EQ(with([](Wide& a) { a.offsets[0] = 1; }), "offsets[0] = 1: only a view may be a slice");
  // What 32 bits would make right.
  EXPECT_EQ(with([](Wide& a) { a.offsets[1] += std::int64_t{1} << 32; }),
            "offsets[2] = 7 is below offsets[1] = 4294967299");
  EXPECT_EQ(with([](Wide& a) { a.columns[4] = 6; }),
            "row 1, entry 4: column 6 is not below 6 (counting from 0)");
  const auto g = turned(doubled_up(given<double, std::int64_t>("grid:nx=9,ny=7")));
  Wide a{g.rows, g.cols, Array<std::int64_t>(std::span(g.offsets)),
         Array<index_t>(std::span(g.columns)), Array<double>(std::span(g.values))};
  for (const std::string& device : places()) {
    const auto p = plan(Wide(a), {.device = device_named(device), .op = both_ops});
    expect_products(p, g.view());
    EXPECT_FALSE(p.explain().input.empty());
  }
}

TEST(Door, SaysWhatItKeeps) {
  const auto g = given<double, std::int32_t>("grid:nx=20,ny=20");
  const auto slice = plan(g.slice(3, 300), {.kernel = "cpu/csr/serial"});
  EXPECT_EQ(slice.bytes(), 298 * sizeof(std::int32_t));
  EXPECT_NE(slice.explain().text().find("a slice: its offsets were copied"), std::string::npos);
  const auto t = turned(g);
  const auto p = plan(t.view(), {.kernel = "cpu/csr/serial"});
  EXPECT_EQ(p.bytes(), t.view().bytes());
  EXPECT_NE(p.explain().text().find("rows were not sorted"), std::string::npos);
  EXPECT_NE(p.explain().text().find("setup: checking "), std::string::npos);
  const auto trusted = plan(g.view(), {.kernel = "cpu/csr/serial", .input = Input::trusted});
  EXPECT_EQ(trusted.bytes(), 0u);
  EXPECT_TRUE(trusted.explain().input.empty());
  expect_products(trusted, g.view());
  EXPECT_GE(p.prepare_seconds(), p.explain().checking);
}

}  // namespace
}  // namespace nz::test
