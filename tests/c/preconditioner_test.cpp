#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/preconditioners.hpp>

#include "c/devices_here.hpp"
#include "c/given.hpp"

// Preconditioners of the C interface: they are those of C++, on every device, and say what is
// wrong.
namespace nz::test {
namespace {

constexpr int side = 12, n = side * side;

template <class T>
constexpr double tolerance = sizeof(T) == 4 ? 1e-5 : 1e-9;

// The 5-point stencil of a square, whose rows and columns are scaled so that Jacobi helps.
template <Value T>
Csr<T, std::int32_t> plate() {
  std::vector<index_t> row, column;
  std::vector<T> value;
  const auto scale = [](index_t i) { return T(1 + i % 5); };
  for (index_t i = 0; i < n; ++i) {
    const auto add = [&](index_t j, T v) {
      row.push_back(i), column.push_back(j), value.push_back(scale(i) * v * scale(j));
    };
    add(i, T(4));
    if (i % side > 0) add(i - 1, T(-1));
    if (i % side + 1 < side) add(i + 1, T(-1));
    if (i >= side) add(i - side, T(-1));
    if (i + side < n) add(i + side, T(-1));
  }
  return csr_from_triplets<T, std::int32_t>(n, n, row, column, value);
}

nz_preconditioner_options options() {
  nz_preconditioner_options o;
  EXPECT_EQ(nz_preconditioner_options_init(&o, sizeof o), NZ_OK);
  return o;
}

PreconditionerHandle made(const Matrix& m, const char* name,
                          const nz_preconditioner_options* o = nullptr) {
  nz_preconditioner* p = nullptr;
  EXPECT_EQ(nz_preconditioner_create(&p, m.get(), name, o), NZ_OK) << name << nz_last_error();
  return PreconditionerHandle(p);
}

template <class T>
struct Outcome {
  nz_solve_result result;
  std::vector<T> x;
};

template <class T>
Outcome<T> solved(const PlanHandle& plan, const char* method, const nz_preconditioner* p) {
  nz_solve_options o;
  EXPECT_EQ(nz_solve_options_init(&o, sizeof o), NZ_OK);
  o.tolerance = tolerance<T>;
  o.preconditioner = p;
  Outcome<T> out{{}, std::vector<T>(n, T(0))};
  EXPECT_EQ(nz_solve_result_init(&out.result, sizeof out.result), NZ_OK);
  const std::vector<T> b = numbers<T>(n);
  EXPECT_EQ(C<T>::solve(plan.get(), method, b.data(), out.x.data(), &o, &out.result), NZ_OK)
      << method << ": " << nz_last_error();
  return out;
}

template <class T>
class CPreconditioner : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(CPreconditioner, Types);

TEST(CPreconditionerOptions, BeginAsInCpp) {
  const nz_preconditioner_options o = options();
  const solve::FsaiOptions f;
  const solve::ChebyshevOptions c;
  EXPECT_EQ(o.size, sizeof o);
  EXPECT_EQ(o.device, nullptr);
  EXPECT_EQ(o.plan, nullptr);
  EXPECT_EQ(o.block, 1);
  EXPECT_EQ(o.power, f.power);
  EXPECT_EQ(o.drop, f.drop);
  EXPECT_EQ(o.row_limit, f.row_limit);
  EXPECT_EQ(o.degree, c.degree);
  EXPECT_EQ(o.lower, c.lower);
  EXPECT_EQ(o.upper, c.upper);
  nz_preconditioner_options grown = o;
  EXPECT_EQ(nz_preconditioner_options_init(&grown, sizeof o + 8), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("nz_preconditioner_options: size"));
}

// Each name makes what the function of C++ makes: the same bits after the same iterations.
TYPED_TEST(CPreconditioner, AreThoseOfCpp) {
  using T = TypeParam;
  const auto a = plate<T>();
  const Matrix m = borrowed(a);
  nz_plan_options fixed = plan_options();
  fixed.kernel = "cpu/csr/serial";
  const PlanHandle plan = planned(m, &fixed);
  const Plan<T> cpp = nz::plan(a.view(), {.kernel = "cpu/csr/serial"});
  nz_preconditioner_options o = options();
  o.block = 6, o.power = 2, o.drop = 0.01, o.row_limit = 9, o.degree = 3, o.lower = 0.1;
  o.plan = plan.get();
  const struct {
    const char *name, *method;
    solve::Preconditioner<T> same;
  } all[] = {
      {"jacobi", "cg", solve::jacobi(a.view())},
      {"block", "cg", solve::block_jacobi(a.view(), 6)},
      {"fsai", "cg", solve::fsai(a.view(), {.power = 2, .drop = 0.01, .row_limit = 9})},
      {"chebyshev", "cg", solve::chebyshev(cpp, a.view(), {.degree = 3, .lower = 0.1})},
      {"spai0", "cg", solve::spai(a.view(), 0)},
      {"spai1", "bicgstab", solve::spai(a.view(), 1)},
      {"ic0", "cg", solve::incomplete_cholesky(a.view())},
      {"ilu0", "gmres", solve::incomplete_lu(a.view())},
  };
  const std::vector<T> b = numbers<T>(n);
  const int plain = solved<T>(plan, "cg", nullptr).result.iterations;
  for (const auto& one : all) {
    const PreconditionerHandle p = made(m, one.name, &o);
    const Outcome<T> c = solved<T>(plan, one.method, p.get());
    EXPECT_EQ(c.result.converged, 1) << one.name << ": " << c.result.message;
    EXPECT_LT(c.result.iterations, plain) << one.name;
    EXPECT_LT(solve::true_residual(a.view(), b, c.x), 20 * tolerance<T>) << one.name;
    for (const auto& method : solve::methods<T>()) {
      if (method.name != one.method) continue;
      std::vector<T> x(n, T(0));
      const solve::Result r =
          method.solve(cpp, b, x, {.tolerance = tolerance<T>, .preconditioner = one.same});
      EXPECT_EQ(r.iterations, c.result.iterations) << one.name;
      EXPECT_EQ(x, c.x) << one.name;
    }
  }
}

// Every solver but LSQR takes every one; those that multiply by the transpose, too.
TYPED_TEST(CPreconditioner, GoWithEverySolver) {
  using T = TypeParam;
  const auto a = plate<T>();
  const Matrix m = borrowed(a);
  nz_plan_options both = plan_options();
  both.op = NZ_BOTH;
  const PlanHandle plan = planned(m, &both);
  for (const char* name :
       {"jacobi", "block", "fsai", "chebyshev", "spai0", "spai1", "ic0", "ilu0"}) {
    const PreconditionerHandle p = made(m, name);
    for (const char* method : {"cg", "bicg", "bicgstab", "qmr", "gmres"}) {
      if (method == std::string("cg") && name == std::string("spai1")) continue;  // not symmetric
      const Outcome<T> out = solved<T>(plan, method, p.get());
      EXPECT_EQ(out.result.converged, 1) << method << ", " << name << ": " << out.result.message;
    }
    nz_solve_options o;
    ASSERT_EQ(nz_solve_options_init(&o, sizeof o), NZ_OK);
    o.preconditioner = p.get();
    std::vector<T> b(n), x(n);
    EXPECT_EQ(C<T>::solve(plan.get(), "lsqr", b.data(), x.data(), &o, nullptr),
              NZ_INVALID_ARGUMENT);
    EXPECT_TRUE(says("takes no preconditioner"));
  }
}

// The matrix and its arrays may go, for a polynomial with a plan of its own, too.
TYPED_TEST(CPreconditioner, OutliveTheMatrix) {
  using T = TypeParam;
  const auto a = plate<T>();
  for (const char* name : {"fsai", "chebyshev", "ilu0"}) {
    PreconditionerHandle p;
    {
      auto passing = a;
      p = made(borrowed(passing), name);
      for (T& v : passing.values) v = T(0);
      for (index_t& c : passing.columns) c = 0;
    }
    const PlanHandle plan = planned(borrowed(a));
    EXPECT_EQ(solved<T>(plan, "gmres", p.get()).result.converged, 1) << name;
  }
}

TYPED_TEST(CPreconditioner, OnDevices) {
  using T = TypeParam;
  NZ_NEEDS_A_DEVICE();
  for (const char* device : devices_here()) {
    const auto a = plate<T>();
    const Matrix m = borrowed(a);
    nz_plan_options there = plan_options();
    there.device = device;
    const PlanHandle plan = planned(m, &there);
    nz_preconditioner_options o = options();
    o.device = device;
    for (const char* name : {"jacobi", "block", "fsai", "chebyshev", "spai0", "spai1"}) {
      const PreconditionerHandle p = made(m, name, &o);
      EXPECT_EQ(solved<T>(plan, "bicgstab", p.get()).result.converged, 1) << name;
    }
    nz_preconditioner* p = nullptr;
    for (const char* name : {"ic0", "ilu0"}) {
      EXPECT_EQ(nz_preconditioner_create(&p, m.get(), name, &o), NZ_INVALID_ARGUMENT);
      EXPECT_TRUE(says("runs on the CPU alone")) << nz_last_error();
    }
    // The plan says where.
    o.device = nullptr, o.plan = plan.get();
    EXPECT_EQ(solved<T>(plan, "cg", made(m, "chebyshev", &o).get()).result.converged, 1);
    o.device = "cpu";
    EXPECT_EQ(nz_preconditioner_create(&p, m.get(), "chebyshev", &o), NZ_INVALID_ARGUMENT);
    EXPECT_TRUE(says(std::string("the plan is on ") + device)) << nz_last_error();
  }
}

TYPED_TEST(CPreconditioner, SayWhatIsWrong) {
  using T = TypeParam;
  const auto a = bar<T>(8), larger = bar<T>(9), flat = uneven<T>(5, 8);
  const Matrix m = borrowed(a);
  nz_preconditioner* p = nullptr;
  const auto refused = [&](const nz_matrix* from, const char* name,
                           const nz_preconditioner_options* o, nz_status status,
                           const std::string& part) {
    p = reinterpret_cast<nz_preconditioner*>(&p);
    EXPECT_EQ(nz_preconditioner_create(&p, from, name, o), status) << part;
    EXPECT_EQ(p, nullptr);
    EXPECT_TRUE(says(part)) << nz_last_error();
  };
  refused(m.get(), "ilut", nullptr, NZ_INVALID_ARGUMENT, "'ilut'; there are jacobi, block, fsai");
  refused(m.get(), nullptr, nullptr, NZ_INVALID_ARGUMENT, "name is NULL");
  refused(nullptr, "fsai", nullptr, NZ_INVALID_ARGUMENT, "matrix is NULL");
  EXPECT_EQ(nz_preconditioner_create(nullptr, m.get(), "fsai", nullptr), NZ_INVALID_ARGUMENT);
  nz_preconditioner_options o = options();
  o.power = 5;
  refused(m.get(), "fsai", &o, NZ_INVALID_ARGUMENT, "5");
  o = options();
  o.degree = 0;
  refused(m.get(), "chebyshev", &o, NZ_INVALID_ARGUMENT, "degree");
  o = options();
  o.device = "abacus";
  refused(m.get(), "spai1", &o, NZ_INVALID_ARGUMENT, "abacus");
  o = options();
  o.size = 3;
  refused(m.get(), "fsai", &o, NZ_INVALID_ARGUMENT, "size is 3");
  // Of another shape, and of the other type.
  const PlanHandle other = planned(borrowed(larger));
  o = options();
  o.plan = other.get();
  refused(m.get(), "chebyshev", &o, NZ_INVALID_ARGUMENT, "9 x 9");
  using U = std::conditional_t<sizeof(T) == 4, double, float>;
  const auto same = bar<U>(8);
  const PlanHandle wrong = planned(borrowed(same));
  o.plan = wrong.get();
  refused(m.get(), "chebyshev", &o, NZ_INVALID_ARGUMENT, "plan is of");
  // Matrices that have no such inverse.
  refused(borrowed(flat).get(), "spai1", nullptr, NZ_INVALID_ARGUMENT, "square");
  auto negative = bar<T>(8);
  for (T& v : negative.values) v = -v;
  for (const char* name : {"fsai", "chebyshev", "ic0"})
    refused(borrowed(negative).get(), name, nullptr, NZ_BAD_INPUT, "row 0");
  const Csr<T, std::int32_t> hole{2, 2, {0, 1, 2}, {1, 0}, {1, 1}};
  refused(borrowed(hole).get(), "ilu0", nullptr, NZ_BAD_INPUT, "row 0");
}

}  // namespace
}  // namespace nz::test
