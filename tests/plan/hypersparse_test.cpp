#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/formats/dcsr.hpp>
#include <nonzero/generate.hpp>
#include <nonzero/plan.hpp>

#include "plan/features.hpp"
#include "plan/given.hpp"
#include "plan/selection.hpp"

// Matrices most of whose rows or columns are empty: products cost what has entries alone, and with
// beta = 1 the rest of y is not touched.
namespace nz::test {
namespace {

// Tall, wide, with entries anywhere, more entries than rows, one row at either end, none at all.
const std::string specs[] = {"halo:rows=900,cols=40,nonempty=40,per_row=1",
                             "halo:rows=40,cols=900,nonempty=40,per_row=1",
                             "halo:rows=2000,cols=700,nonempty=60,per_row=3,scattered=1",
                             "halo:rows=600,cols=600,nonempty=20,per_row=40",
                             "halo:rows=500,cols=9,nonempty=1,per_row=2",
                             "empty:rows=300,cols=200",
                             "empty:rows=0,cols=70",
                             "empty:rows=70,cols=0"};

template <class T>
using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

// A signalling NaN, each another: arithmetic of any kind, a product with 1 too, makes it quiet.
template <class T>
T signalling(std::size_t i) {
  constexpr auto infinity = std::bit_cast<Bits<T>>(std::numeric_limits<T>::infinity());
  return std::bit_cast<T>(static_cast<Bits<T>>(infinity + 1 + i));
}

// Which elements of y have entries.
template <Value T, Offset O>
std::vector<bool> met(const CsrView<T, O>& a, Op op) {
  std::vector<bool> m(static_cast<std::size_t>(op == Op::none ? a.rows : a.cols));
  for (index_t i = 0; i < a.rows; ++i)
    for (O k = a.offsets[i]; k < a.offsets[i + 1]; ++k)
      m[static_cast<std::size_t>(op == Op::none ? i : a.columns[k])] = true;
  return m;
}

template <Value T, Offset O>
bool is_hypersparse(const CsrView<T, O>& a, Op op) {
  const std::vector<bool> m = met(a, op);
  return 4 * std::count(m.begin(), m.end(), true) <= std::ssize(m);
}

// Elements without entries that are other bits after y = 2 op(A) x + y than before; those with
// entries must be right.
template <Value T, Offset O>
int touched(const Plan<T>& plan, const CsrView<T, O>& a, Op op) {
  const std::vector<bool> has = met(a, op);
  const std::vector<T> sums = expected(a, op);
  std::vector<T> x(static_cast<std::size_t>(op == Op::none ? a.cols : a.rows)), y(has.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(1 + i % 5);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = has[i] ? T(3) : signalling<T>(i);
  plan.multiply(T(2), x, T(1), y, op);
  int others = 0;
  for (std::size_t i = 0; i < y.size(); ++i)
    if (has[i])
      EXPECT_EQ(y[i], 2 * sums[i] + 3) << "element " << i;
    else
      others += std::bit_cast<Bits<T>>(y[i]) != std::bit_cast<Bits<T>>(signalling<T>(i));
  return others;
}

// Whether the kernel of a plan is one that leaves alone what is empty.
bool spares(const Candidate& c) {
  return c.kernel->id() == "cpu/dcsr/balanced" || c.kernel->id() == "gpu/coo/segmented";
}

TEST(Hypersparse, WhatPlansTakeTouchesNothingElse) {
  for_all_types([]<class T, class O>() {
    for (const std::string& spec : specs)
      for (const Place& place : all_places()) {
        const Given<T, O> given = test::given<T, O>(spec);
        const Lying<T, O> a(given, given.view(), place);
        // Of the other types one effort: what they choose by is the same.
        const bool all = std::is_same_v<T, double> && sizeof(O) == 4;
        for (const Use use : all_uses)
          for (const Effort effort : all_efforts)
            for (const bool deterministic : {false, true}) {
              if (!all && effort != Effort::balanced) continue;
              SCOPED_TRACE(spec + " on " + place.device + (place.there ? ", there" : "") + ", " +
                           std::string(name(effort)) + (use.n ? " N" : "") + (use.t ? " T" : "") +
                           (deterministic ? ", deterministic" : ""));
              const auto plan = nz::plan(a.view(), {.device = device_named(place.device),
                                                    .op = use,
                                                    .effort = effort,
                                                    .deterministic = deterministic,
                                                    .store_transpose = deterministic,
                                                    .cache = {.use = false}});
              const Features& f = plan.explain().features;
              if (f.hypersparse(use.n, use.t) && !deterministic) {
                EXPECT_TRUE(spares(plan.explain().candidates.front())) << plan.explain().text();
              }
              for (const Op op : all_ops) {
                // T of the same bits may come from the transpose: that has rows with entries, and
                // need not be hypersparse itself.
                if (!use.has(op) || (deterministic && !is_hypersparse(given.view(), op))) continue;
                EXPECT_EQ(touched(plan, given.view(), op), 0) << name(op);
              }
            }
      }
  });
}

TEST(Hypersparse, TheTestSeesWhatTouches) {
  const auto a = given<double, std::int32_t>(specs[0]);
  const auto plan = nz::plan(a.view(), {.kernel = "cpu/csr/balanced"});
  EXPECT_EQ(touched(plan, a.view(), Op::none), 860);
}

TEST(Hypersparse, NumbersOfThreadsAndOtherBetasMakeNoDifference) {
  for_all_types([]<class T, class O>() {
    for (const std::string& spec : specs)
      for (const int threads : {1, 2, 3, 7}) {
        SCOPED_TRACE(spec + ", threads " + std::to_string(threads));
        const auto a = given<T, O>(spec);
        const auto plan = nz::plan(
            a.view(),
            {.kernel = "cpu/dcsr/balanced", .parameters = {{"grain", 1}}, .threads = threads});
        expect_products(plan, a.view());  // beta = 0, y was -1
        for (const Op op : all_ops) {
          EXPECT_EQ(touched(plan, a.view(), op), 0);
          const std::vector<T> sums = expected(a.view(), op);
          std::vector<T> x(static_cast<std::size_t>(op == Op::none ? a.cols : a.rows));
          for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(1 + i % 5);
          std::vector<T> y(sums.size(), T(5));
          plan.multiply(T(2), x, T(-0.5), y, op);
          for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], 2 * sums[i] - T(2.5));
        }
      }
  });
}

TEST(Hypersparse, RowsAreCountedWhereverTheyLie) {
  // More entries than a quarter of the rows: the shape alone does not tell.
  const auto given = test::given<double, std::int64_t>("halo:rows=4000,nonempty=100,per_row=50");
  for (const Place& place : all_places()) {
    const Lying<double, std::int64_t> a(given, given.view(), place);
    const Device device = device_named(place.device);
    EXPECT_EQ(glance_at(a.view(), device).nonempty_rows, 100) << place.device << place.there;
    EXPECT_EQ(look_at(a.view(), device, 2, true).nonempty_rows, 100) << place.device << place.there;
  }
  EXPECT_EQ(shape_features(given.view()).nonempty_rows, 4000);
  EXPECT_EQ(count_nonempty_rows(given.view()), 100);
}

TEST(Hypersparse, ManyRowsAreCountedByParts) {
  const auto a = generate("halo:rows=300000,cols=5,nonempty=7001,per_row=1,scattered=1").matrix;
  EXPECT_EQ(count_nonempty_rows(a.view()), 7001);
  EXPECT_EQ(dcsr_from_csr(a.view()).row.size(), 7001u);
  EXPECT_TRUE(dcsr_to_csr(dcsr_from_csr(a.view()).view()) == a);
}

TEST(Hypersparse, AQuarterOfTheRowsIsTheLimit) {
  Features f{.rows = 400, .cols = 400, .nnz = 4000, .nonempty_rows = 100, .nonempty_cols = 400};
  EXPECT_TRUE(f.hypersparse(true, false));
  EXPECT_TRUE(f.hypersparse(false, true)) << "x of T has as few";
  f.nonempty_rows = 101;
  EXPECT_FALSE(f.hypersparse(true, true));
  f.nonempty_cols = 100;
  EXPECT_FALSE(f.hypersparse(true, false)) << "N writes rows";
  EXPECT_TRUE(f.hypersparse(false, true));
  EXPECT_TRUE(f.transposed().hypersparse(true, false));
  EXPECT_FALSE(Features{}.hypersparse(true, true)) << "nothing is known";
}

// The rule goes before predictions and setup, but not before what is asked for.
TEST(Hypersparse, TheRuleOrdersCandidates) {
  const Kernel *csr = &find_kernel("cpu/csr/balanced"), *dcsr = &find_kernel("cpu/dcsr/balanced");
  const Features f{.rows = 400, .cols = 400, .nnz = 9, .nonempty_rows = 9, .nonempty_cols = 9};
  const std::vector<Candidate> some = {
      {.kernel = csr, .n_seconds = 1, .t_seconds = 1, .setup_seconds = 0, .bytes = 10},
      {.kernel = dcsr,
       .n_seconds = 2,
       .t_seconds = 2,
       .setup_seconds = 1000,
       .bytes = 20,
       .spares_empty = true}};
  const Selection s = rank(f, some, {.use = Op::none, .effort = Effort::instant});
  EXPECT_EQ(s.candidates.front().kernel, dcsr);
  EXPECT_EQ(s.candidates.back().why_not, "touches what has no entries too");
  EXPECT_TRUE(goes_by_rule(s, {.use = Op::none}));
  EXPECT_EQ(rank(f, some, {.memory_limit = 15}).candidates.front().kernel, csr);
  EXPECT_EQ(rank({}, some, {.use = Op::none}).candidates.front().kernel, csr);
}

TEST(Hypersparse, BytesAreThoseOfWhatIsTouched) {
  const auto a = given<double, std::int32_t>("halo:rows=900,cols=40,nonempty=30,per_row=1");
  const auto plan = nz::plan(a.view(), {.kernel = "cpu/dcsr/balanced"});
  // Rows, their offsets and one more, columns, values; then x, then y.
  const std::size_t matrix = 30 * 4 + 31 * 4 + 30 * 4 + 30 * 8;
  EXPECT_EQ(plan.product().traffic(Op::none, false), matrix + 30 * 8 + 900 * 8);
  EXPECT_EQ(plan.product().traffic(Op::transpose, false), matrix + 30 * 8 + 40 * 8);
}

}  // namespace
}  // namespace nz::test
