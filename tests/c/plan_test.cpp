#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "c/given.hpp"
#include "support/devices.hpp"
#include "support/temp_dir.hpp"

namespace nz::test {
namespace {

template <class T>
class CPlan : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(CPlan, Types);

TYPED_TEST(CPlan, TellsOfItself) {
  using T = TypeParam;
  const auto a = uneven<T>(60, 40);
  nz_plan_options o = plan_options();
  o.kernel = "cpu/csr/serial";
  o.threads = 1;
  const PlanHandle plan = planned(borrowed(a), &o);
  EXPECT_EQ(nz_plan_rows(plan.get()), 60);
  EXPECT_EQ(nz_plan_columns(plan.get()), 40);
  EXPECT_EQ(nz_plan_nonzeros(plan.get()), a.nnz());
  EXPECT_EQ(nz_plan_type(plan.get()), C<T>::type);
  EXPECT_EQ(nz_plan_threads(plan.get()), 1);
  EXPECT_STREQ(nz_plan_kernel(plan.get()), "cpu/csr/serial");
  EXPECT_STREQ(nz_plan_device(plan.get()), "cpu");
  EXPECT_GT(nz_plan_setup_seconds(plan.get()), 0);
  EXPECT_EQ(nz_plan_bytes(plan.get()), 0);  // it reads the caller's arrays
  double seconds = -1;
  ASSERT_EQ(nz_plan_measure(plan.get(), NZ_NONE, &seconds), NZ_OK) << nz_last_error();
  EXPECT_GT(seconds, 0);
  expect_right(plan.get(), a);
}

TYPED_TEST(CPlan, ExplainsItself) {
  const auto a = uneven<TypeParam>(60, 40);
  const PlanHandle plan = planned(borrowed(a));
  const std::int64_t length = nz_plan_explain(plan.get(), nullptr, 0);
  ASSERT_GT(length, 40);
  std::string text(static_cast<std::size_t>(length) + 1, '?');
  EXPECT_EQ(nz_plan_explain(plan.get(), text.data(), text.size()), length);
  EXPECT_EQ(std::strlen(text.c_str()), static_cast<std::size_t>(length));
  EXPECT_NE(text.find(nz_plan_kernel(plan.get())), std::string::npos) << text;
  // As much as there is room for.
  char few[8] = {'?', '?', '?', '?', '?', '?', '?', '?'};
  EXPECT_EQ(nz_plan_explain(plan.get(), few, 5), length);
  EXPECT_EQ(std::string(few), text.substr(0, 4));
  EXPECT_EQ(few[5], '?');
}

TYPED_TEST(CPlan, OptionsReachThePlan) {
  using T = TypeParam;
  const auto a = bar<T>(3000);
  const Matrix m = borrowed(a);
  for (const nz_effort effort : {NZ_INSTANT, NZ_BALANCED, NZ_THOROUGH}) {
    const TempDir dir;
    const std::string cache = dir("cache");
    nz_plan_options o = plan_options();
    o.effort = effort;
    o.op = NZ_BOTH;
    o.store_transpose = 1;
    o.deterministic = 1;
    o.threads = 2;
    o.use_cache = 1;
    o.cache_directory = cache.c_str();
    o.device = "cpu";
    const PlanHandle plan = planned(m, &o);
    EXPECT_EQ(nz_plan_threads(plan.get()), 2);
    expect_right(plan.get(), a);
  }
  EXPECT_EQ(plan_options().store_transpose, -1);  // the plan decides
  for (const std::int32_t store : {-1, 0, 1}) {
    nz_plan_options o = plan_options();
    o.op = NZ_BOTH;
    o.store_transpose = store;
    expect_right(planned(m, &o).get(), a);
  }
  nz_plan_options o = plan_options();
  o.op = NZ_TRANSPOSE;
  o.trusted = 1;
  expect_right(planned(m, &o).get(), a);
}

TYPED_TEST(CPlan, ValuesAreStoredAsAsked) {
  using T = TypeParam;
  auto a = bar<T>(3000);
  for (std::size_t k = 0; k < a.values.size(); ++k)
    a.values[k] = T(1) / static_cast<T>(3 + k % 999);
  const Matrix m = borrowed(a);
  nz_plan_options o = plan_options();
  EXPECT_EQ(o.store_values_as, NZ_VALUES_EXACT);
  o.store_values_as = sizeof(T) == 8 ? NZ_VALUES_F32 : NZ_VALUES_BF16;
  const PlanHandle plan = planned(m, &o);
  ASSERT_TRUE(plan);
  std::string text(4096, '\0');
  ASSERT_GT(nz_plan_explain(plan.get(), text.data(), text.size()), 0);
  EXPECT_NE(text.find(sizeof(T) == 8 ? "stored as f32" : "stored as bf16"), text.npos);
  // Those of a caller who does not know the member yet.
  o.size = offsetof(nz_plan_options, store_values_as);
  const PlanHandle before = planned(m, &o);
  ASSERT_TRUE(before);
  expect_right(before.get(), a);
  o.size = sizeof o;
  nz_plan* none = nullptr;
  for (const nz_values wrong : {nz_values{sizeof(T) == 8 ? NZ_VALUES_F16 : NZ_VALUES_F32}, 4, -1}) {
    o.store_values_as = wrong;
    EXPECT_EQ(nz_plan_create(&none, m.get(), &o), NZ_INVALID_ARGUMENT) << wrong;
  }
}

TYPED_TEST(CPlan, TheLayoutOfSeveralVectors) {
  const auto a = bar<TypeParam>(3000);
  const Matrix m = borrowed(a);
  nz_plan_options o = plan_options();
  EXPECT_EQ(o.layout, NZ_ROW_MAJOR);
  o.vectors = 4;
  o.layout = NZ_COLUMN_MAJOR;
  expect_right(planned(m, &o).get(), a);
  nz_plan* none = nullptr;
  for (const nz_layout wrong : {2, -1}) {
    o.layout = wrong;
    EXPECT_EQ(nz_plan_create(&none, m.get(), &o), NZ_INVALID_ARGUMENT) << wrong;
  }
}

TYPED_TEST(CPlan, ParametersReachTheKernel) {
  using T = TypeParam;
  const auto a = bar<T>(100);
  nz_plan_options o = plan_options();
  o.kernel = "cpu/bsr/serial";
  o.parameters = "block_rows=5,block_cols=2";
  const PlanHandle plan = planned(borrowed(a), &o);
  ASSERT_TRUE(plan);
  expect_right(plan.get(), a);
  o.parameters = "block_rows=2,block_cols=2";
  EXPECT_NE(nz_plan_bytes(planned(borrowed(a), &o).get()), nz_plan_bytes(plan.get()));
  o.parameters = "";
  expect_right(planned(borrowed(a), &o).get(), a);
}

TEST(CPlanErrors, ParametersThatAreNone) {
  const auto a = bar<double>(20);
  const Matrix m = borrowed(a);
  nz_plan_options o = plan_options();
  o.kernel = "cpu/bsr/serial";
  nz_plan* plan = nullptr;
  for (const char* text : {"block_rows", "block_rows=", "block_rows=x", "=3", "block_rows=2,",
                           "block_rows=2x", "block_rows=2,block_rows=3", "no_such=1",
                           "block_rows=99999999999999999999", "block_rows=-1"}) {
    o.parameters = text;
    EXPECT_EQ(nz_plan_create(&plan, m.get(), &o), NZ_INVALID_ARGUMENT) << text;
  }
  o.kernel = nullptr;
  o.parameters = "block_rows=2";
  EXPECT_EQ(nz_plan_create(&plan, m.get(), &o), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("parameters need a kernel"));
}

TEST(CPlanErrors, Options) {
  const auto a = bar<double>(20);
  const Matrix m = borrowed(a);
  const auto status = [&](auto&& change) {
    nz_plan_options o = plan_options();
    change(o);
    nz_plan* plan = reinterpret_cast<nz_plan*>(&plan);
    const nz_status s = nz_plan_create(&plan, m.get(), &o);
    EXPECT_EQ(plan, nullptr);
    return s;
  };
  EXPECT_EQ(status([](auto& o) { o.kernel = "cpu/csr/seriel"; }), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("cpu/csr/serial"));
  EXPECT_EQ(status([](auto& o) { o.device = "gpu"; }), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("'gpu'"));
  EXPECT_EQ(status([](auto& o) { o.device = "cuda:99"; }), NZ_NO_RESOURCE);
  EXPECT_EQ(status([](auto& o) { o.op = 5; }), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(status([](auto& o) { o.op = -1; }), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(status([](auto& o) { o.effort = 3; }), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(status([](auto& o) { o.threads = -1; }), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(status([](auto& o) { o.memory_limit = -1; }), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("memory_limit is -1"));
  EXPECT_EQ(status([](auto& o) {
              o.kernel = "cpu/bsr/serial";
              o.memory_limit = 1;
            }),
            NZ_NO_RESOURCE);
  EXPECT_EQ(status([](auto& o) { o.size = 0; }), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("initialised"));
  EXPECT_EQ(status([](auto& o) { o.size += 8; }), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("older"));
  // A dense row is more than ELL will hold.
  std::vector<index_t> row(5000, 0), column(5000);
  for (index_t j = 0; j < 5000; ++j) column[static_cast<std::size_t>(j)] = j;
  const auto wide = csr_from_triplets<double, std::int32_t>(5000, 5000, row, column,
                                                            std::vector<double>(5000, 1.0));
  nz_plan_options o = plan_options();
  o.kernel = "cpu/ell/serial";
  nz_plan* plan = nullptr;
  EXPECT_EQ(nz_plan_create(&plan, borrowed(wide).get(), &o), NZ_REFUSED);
}

TEST(CPlanErrors, Nothing) {
  nz_plan* plan = nullptr;
  EXPECT_EQ(nz_plan_create(&plan, nullptr, nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("matrix is NULL"));
  const auto a = bar<double>(20);
  const Matrix m = borrowed(a);
  EXPECT_EQ(nz_plan_create(nullptr, m.get(), nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("plan is NULL"));
  EXPECT_EQ(nz_plan_update_values(nullptr, m.get()), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(nz_plan_update_values(planned(m).get(), nullptr), NZ_INVALID_ARGUMENT);
  double seconds = 0;
  EXPECT_EQ(nz_plan_measure(nullptr, NZ_NONE, &seconds), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(nz_plan_measure(planned(m).get(), NZ_NONE, nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(nz_plan_measure(planned(m).get(), NZ_BOTH, &seconds), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(nz_plan_wait(nullptr, nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(nz_plan_wait(planned(m).get(), nullptr), NZ_OK);
  EXPECT_EQ(nz_plan_wait(planned(m).get(), &seconds), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(nz_plan_rows(nullptr), -1);
  EXPECT_EQ(nz_plan_columns(nullptr), -1);
  EXPECT_EQ(nz_plan_nonzeros(nullptr), -1);
  EXPECT_EQ(nz_plan_type(nullptr), -1);
  EXPECT_EQ(nz_plan_threads(nullptr), -1);
  EXPECT_EQ(nz_plan_bytes(nullptr), -1);
  EXPECT_EQ(nz_plan_kernel(nullptr), nullptr);
  EXPECT_EQ(nz_plan_device(nullptr), nullptr);
  EXPECT_EQ(nz_plan_setup_seconds(nullptr), -1);
  char text[4] = "abc";
  EXPECT_EQ(nz_plan_explain(nullptr, text, sizeof text), -1);
  EXPECT_STREQ(text, "");
  EXPECT_EQ(nz_plan_explain(planned(m).get(), nullptr, 4), -1);
  nz_plan_destroy(nullptr);
}

TEST(CPlanErrors, StructsOfOtherSizes) {
  nz_plan_options o;
  EXPECT_EQ(nz_plan_options_init(&o, sizeof o - 1), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(nz_plan_options_init(&o, sizeof o + 1), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(nz_plan_options_init(nullptr, sizeof o), NZ_INVALID_ARGUMENT);
  nz_solve_options s;
  EXPECT_EQ(nz_solve_options_init(&s, 3), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(nz_solve_options_init(nullptr, sizeof s), NZ_INVALID_ARGUMENT);
  nz_solve_result r;
  EXPECT_EQ(nz_solve_result_init(&r, 3), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(nz_solve_result_init(nullptr, sizeof r), NZ_INVALID_ARGUMENT);
  nz_walk_options w;
  EXPECT_EQ(nz_walk_options_init(&w, 3), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(nz_walk_options_init(nullptr, sizeof w), NZ_INVALID_ARGUMENT);
}

// Arrays of the library's stay with the plans that read them in place.
TYPED_TEST(CPlan, OutlivesItsMatrix) {
  using T = TypeParam;
  const auto a = uneven<T>(60, 40);
  nz_plan_options o = plan_options();
  for (const char* kernel : {"cpu/csr/serial", "cpu/bsr/serial"}) {
    o.kernel = kernel;
    nz_matrix* m = nullptr;
    ASSERT_EQ(C<T>::csr_i32(&m, a.rows, a.cols, a.nnz(), a.offsets.data(), a.columns.data(),
                            a.values.data(), NZ_COPY),
              NZ_OK);
    const PlanHandle plan = planned(Matrix(m), &o);
    expect_right(plan.get(), a);
  }
}

TYPED_TEST(CPlan, TakesNewValues) {
  using T = TypeParam;
  auto a = uneven<T>(60, 40);
  nz_plan_options o = plan_options();
  for (const char* kernel : {"cpu/csr/serial", "cpu/bsr/serial", "cpu/csr/balanced"})
    for (const nz_arrays arrays : {NZ_BORROW, NZ_COPY}) {
      o.kernel = kernel;
      const auto before = a;
      const PlanHandle plan = planned(borrowed(before), &o);
      expect_right(plan.get(), before);
      for (T& v : a.values) v = v * T(3) - T(1);
      nz_matrix* m = nullptr;
      ASSERT_EQ(C<T>::csr_i32(&m, a.rows, a.cols, a.nnz(), a.offsets.data(), a.columns.data(),
                              a.values.data(), arrays),
                NZ_OK);
      ASSERT_EQ(nz_plan_update_values(plan.get(), Matrix(m).get()), NZ_OK) << nz_last_error();
      expect_right(plan.get(), a);
      EXPECT_STREQ(nz_plan_kernel(plan.get()), kernel);
    }
}

TYPED_TEST(CPlan, RefusesValuesOfAnotherStructure) {
  using T = TypeParam;
  const auto a = uneven<T>(60, 40), other = uneven<T>(61, 40);
  const PlanHandle plan = planned(borrowed(a));
  EXPECT_EQ(nz_plan_update_values(plan.get(), borrowed(other).get()), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("structure"));
  expect_right(plan.get(), a);
}

TEST(CPlanErrors, ValuesOfAnotherType) {
  const auto a = uneven<double>(60, 40);
  const auto b = uneven<float>(60, 40);
  const PlanHandle plan = planned(borrowed(a));
  EXPECT_EQ(nz_plan_update_values(plan.get(), borrowed(b).get()), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("plan is of double, not of float"));
  expect_right(plan.get(), a);
}

}  // namespace
}  // namespace nz::test
