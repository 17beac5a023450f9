#include "brutal/operations.hpp"

#include <cmath>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <utility>

#include <nonzero/device.hpp>
#include <nonzero/error.hpp>
#include <nonzero/generate.hpp>
#include <nonzero/io.hpp>
#include <nonzero/registry.hpp>
#include <nonzero/solve.hpp>
#include <nonzero/truth.hpp>

#include "brutal/fail.hpp"
#include "support/devices.hpp"

namespace nz::brutal {
namespace {

using Matrix = Csr<double, std::int32_t>;

Matrix made(const std::string& spec) {
  return csr_cast<double, std::int32_t>(generate(spec).matrix.view());
}

// What the library is called in; the rest is the test's own, and does not fail.
template <class Body>
auto watched(Body&& body) {
  struct Scope {
    Scope() { nz_fail_resume(); }
    ~Scope() { nz_fail_pause(); }
  } const scope;
  return body();
}

void must(bool right, const char* what) {
  if (!right) throw std::logic_error(what);
}

std::vector<double> ones(index_t n) { return std::vector<double>(static_cast<std::size_t>(n), 1); }

void check(const Plan<double>& plan, const Matrix& a, Op op) {
  const std::vector<double> x = ones(op == Op::none ? a.cols : a.rows);
  std::vector<double> y = ones(op == Op::none ? a.rows : a.cols);
  const std::vector<double> before = y;
  watched([&] { plan.multiply(2.0, x, -0.5, y, op); });
  must(check_product<double, std::int32_t>(a.view(), op, 2.0, x, -0.5, before, y).right(),
       "a wrong product");
}

// Made, and multiplied by.
Operation planned(std::string name, std::shared_ptr<const Matrix> a, PlanOptions options) {
  const bool there = options.device == emulator_device;
  options.cache.use = false;
  return {std::move(name),
          [=] {
            const auto plan = watched([&] { return nz::plan(a->view(), options); });
            check(plan, *a, options.op.n ? Op::none : Op::transpose);
          },
          there};
}

// Twice, the second time by what the first one wrote down.
Operation tuned(std::string name, std::shared_ptr<const Matrix> a, std::string folder) {
  const PlanOptions options{
      .threads = 1, .effort = Effort::thorough, .cache = {.use = true, .directory = folder}};
  return {std::move(name), [=] {
            std::filesystem::remove_all(folder);
            for (int time = 0; time < 2; ++time)
              check(watched([&] { return nz::plan(a->view(), options); }), *a, Op::none);
          }};
}

// Only multiplied by; the plan is there before, and good after.
Operation multiplied(std::string name, std::shared_ptr<const Matrix> a, PlanOptions options) {
  struct Ready {
    std::unique_ptr<Plan<double>> plan;
  };
  auto ready = std::make_shared<Ready>();
  return {std::move(name),
          [=] {
            if (!ready->plan)
              ready->plan = std::make_unique<Plan<double>>(nz::plan(a->view(), options));
            for (const Op op : all_ops)
              if (options.op.has(op)) check(*ready->plan, *a, op);
          },
          options.device == emulator_device};
}

// Other values: taken and right, or refused and the old ones right.
Operation updated(std::string name, std::shared_ptr<const Matrix> a, PlanOptions options) {
  auto plan = std::make_shared<std::unique_ptr<Plan<double>>>();
  auto now = std::make_shared<Matrix>(*a);
  auto thrown = std::make_shared<bool>(false);
  return {std::move(name),
          [=] {
            if (!*plan) *plan = std::make_unique<Plan<double>>(nz::plan(Matrix(*now), options));
            if (std::exchange(*thrown, false)) check(**plan, *now, Op::none);
            Matrix fresh = *now;
            for (double& v : fresh.values) v = -v;
            Matrix given = fresh;
            try {
              watched([&] { (*plan)->update_values(std::move(given)); });
            } catch (...) {
              *thrown = true;  // the next run finds the plan as it was
              throw;
            }
            std::swap(*now, fresh);
            check(**plan, *now, Op::none);
          },
          options.device == emulator_device};
}

Operation solved(std::string name, std::shared_ptr<const Matrix> a, std::string_view method,
                 std::string device) {
  const bool there = device == "emu";
  return {std::move(name),
          [=] {
            const PlanOptions options{
                .device = device_named(device), .op = both_ops, .cache = {false}};
            const auto plan = watched([&] { return nz::plan(a->view(), options); });
            const std::vector<double> b = ones(a->rows);
            std::vector<double> x(b.size(), 0);
            for (const auto& m : solve::methods<double>()) {
              if (m.name != method) continue;
              const auto r = watched([&] { return m.solve(plan, b, x, {.tolerance = 1e-6}); });
              must(r.ok(), "not solved");
              must(solve::true_residual(a->view(), b, x) < 1e-5, "a wrong solution");
              return;
            }
            must(false, "no such method");
          },
          there};
}

Operation ranked(std::shared_ptr<const Matrix> a) {
  return {"pagerank", [=] {
            const auto plan = nz::plan(a->view(), {.op = both_ops, .cache = {false}});
            std::vector<double> x(static_cast<std::size_t>(a->rows));
            must(watched([&] { return solve::pagerank(plan, std::span<double>(x)).ok(); }),
                 "not ranked");
            double sum = 0;
            for (const double v : x) sum += v;
            must(std::abs(sum - 1) < 1e-8, "ranks that do not add up");
          }};
}

// Names of files are paths before the library is called: making one is the caller's.
using Path = std::filesystem::path;

Operation read_back(const Path& file, std::shared_ptr<const Matrix> a) {
  return {"read " + file.filename().string(), [=] {
            const auto b = watched([&] { return read_matrix<double, std::int32_t>(file); });
            must(b == *a, "read another matrix");
          }};
}

Operation written(const Path& file, std::shared_ptr<const Matrix> a) {
  return {"write " + file.filename().string(),
          [=] { watched([&] { write_matrix(file, a->view()); }); }, false, file.string()};
}

}  // namespace

std::vector<Operation> operations(const std::string& folder) {
  const auto grid = std::make_shared<const Matrix>(made("grid:points=5,nx=24,ny=20"));
  Matrix edges = made("rmat:scale=6,degree=4");
  std::fill(edges.values.begin(), edges.values.end(), 1.0);
  const auto graph = std::make_shared<const Matrix>(std::move(edges));
  // Large enough for several threads.
  const auto large = std::make_shared<const Matrix>(made("grid:points=9,nx=90,ny=90"));
  const auto in = [&](const char* name) { return folder + "/" + name; };
  std::vector<Operation> all;
  all.push_back(planned("plan", grid, {}));
  all.push_back(planned("plan for both", large, {.threads = 2, .op = both_ops}));
  all.push_back(planned("plan with a transpose", grid, {.op = both_ops, .store_transpose = true}));
  all.push_back(planned("thorough plan", grid, {.threads = 1, .effort = Effort::thorough}));
  all.push_back(tuned("thorough plan and its record", grid, in("tuned")));
  for (const char* kernel : {"cpu/csr/balanced", "cpu/csb/balanced", "cpu/bsr/unrolled",
                             "cpu/sell/serial", "cpu/compact/balanced"}) {
    all.push_back(planned(std::string("plan ") + kernel, large,
                          {.kernel = kernel, .threads = 2, .op = Op::none}));
  }
  all.push_back(multiplied("multiply", large, {.threads = 2, .op = both_ops}));
  all.push_back(updated("update_values", large, {.threads = 2}));
  for (const char* method : {"cg", "bicgstab", "gmres", "lsqr"})
    all.push_back(solved(method, grid, method, "cpu"));
  all.push_back(ranked(graph));
  if (test::has_emulator()) {
    all.push_back(planned("plan on emu", graph, {.device = emulator_device}));
    all.push_back(
        planned("plan for T on emu", graph, {.device = emulator_device, .op = Op::transpose}));
    all.push_back(
        multiplied("multiply on emu", graph, {.device = emulator_device, .op = both_ops}));
    all.push_back(updated("update_values on emu", graph, {.device = emulator_device}));
    const auto small = std::make_shared<const Matrix>(made("grid:points=5,nx=6,ny=5"));
    all.push_back(solved("cg on emu", small, "cg", "emu"));
  }
  for (const char* name : {"a.mtx", "a.mtx.gz", "a.mtx.zst", "a.nzb"}) {
    write_matrix(in(name), grid->view());
    all.push_back(read_back(in(name), grid));
  }
  for (const char* name : {"b.mtx", "b.mtx.gz", "b.mtx.zst", "b.nzb"})
    all.push_back(written(in(name), grid));
  for (const char* name : {"v.mtx", "v.npy"}) {
    const Path file = in(name);
    write_vector<double>(file, ones(50));
    all.push_back({std::string("read ") + name, [=] {
                     const auto v = watched([&] { return read_vector<double>(file); });
                     must(v.size() == 50, "another vector");
                   }});
    const Path other = in(name[2] == 'm' ? "w.mtx" : "w.npy");
    all.push_back({std::string("write ") + name,
                   [=] {
                     const auto v = ones(50);
                     watched([&] { write_vector<double>(other, v); });
                   },
                   false, other.string()});
  }
  return all;
}

}  // namespace nz::brutal
