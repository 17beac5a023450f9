#include "lab/bench/plan_rows.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nonzero/plan.hpp>
#include <nonzero/registry.hpp>

#include "lab/peers/several_parameters.hpp"
#include "simt/backend.hpp"

namespace nz::lab {
namespace {

constexpr std::string_view plan_family = "plan";

struct Row {
  Effort effort;
  std::string_view use_name;
  Use use;
  std::optional<bool> store_transpose;
  std::string_view summary;
};

constexpr std::array rows{
    Row{Effort::balanced, "n", Op::none, {}, "what a plan makes for N"},
    Row{Effort::balanced, "t", Op::transpose, {}, "what a plan makes for T"},
    Row{Effort::balanced, "both", both_ops, {}, "what a plan makes for N and T"},
    Row{Effort::balanced, "one-copy", both_ops, false,
        "what a plan makes for N and T that may not store a transpose larger than CSR"},
    Row{Effort::instant, "n", Op::none, {}, "what a plan makes for N at once"},
    Row{Effort::thorough, "n", Op::none, {}, "what a plan makes for N that takes its time"},
};

template <Value T>
class PlanProduct final : public Product<T>, public PlanTold {
 public:
  explicit PlanProduct(Plan<T> plan) : plan_(std::move(plan)) {}

  void multiply(Op op, T alpha, std::span<const T> x, T beta, std::span<T> y) const override {
    plan_.multiply(alpha, x, beta, y, op);
  }
  void multiply_on(StreamView stream, Op op, T alpha, std::span<const T> x, T beta,
                   std::span<T> y) const override {
    plan_.multiply(alpha, x, beta, y, op, stream);
  }
  void multiply_several(StreamView stream, Op op, T alpha, DenseView<const T> x, T beta,
                        DenseView<T> y) const override {
    plan_.multiply(alpha, x, beta, y, op, stream);
  }
  bool has_several(Op op) const override {
    return plan_.product(op).has_several(taken_for(op).inner(op));
  }
  Device device() const override { return plan_.device(); }
  std::size_t bytes() const override { return plan_.bytes(); }
  // A transpose is the plan's own.
  bool borrows() const override { return !plan_.transposed() && plan_.product().borrows(); }
  std::size_t traffic(Op op, bool reads_y) const override {
    return plan_.product(op).traffic(taken_for(op).inner(op), reads_y);
  }
  Facts facts() const override {
    Facts all = plan_.product().facts();
    const Explanation& e = plan_.explain();
    all["checking_s"] = e.checking;
    all["looking_s"] = e.looking;
    all["converting_s"] = e.converting;
    if (e.timing > 0) all["timing_s"] = e.timing;
    all["timed"] = static_cast<double>(
        std::count_if(e.candidates.begin(), e.candidates.end(),
                      [](const Candidate& c) { return c.measured_seconds > 0; }));
    all["transposed"] = plan_.transposed();
    all["stores_transpose"] = plan_.stores_transpose();
    return all;
  }

  std::string taken(Op op) const override {
    const Candidate& c = taken_for(op);
    std::string text = c.kernel->id();
    for (const auto& [name, value] : c.parameters) text += fmt::format(" {}={}", name, value);
    return fmt::format("{}{}: {}", text, c.transposed ? " of A^T" : "", c.why);
  }
  double predicted_seconds(Op op) const override { return taken_for(op).seconds(op); }

 private:
  const Candidate& taken_for(Op op) const {
    return plan_.explain().candidates.at(plan_.stores_transpose() && op == Op::transpose);
  }

  Plan<T> plan_;
};

template <std::size_t row, Device::Kind kind, class T, class O>
std::unique_ptr<Product<T>> prepare_plan(const CsrView<T, O>& a, const Parameters& p) {
  constexpr const Row& r = rows[row];
  const Device here{kind, kind == Device::Kind::cuda ? simt::current_cuda_device() : 0};
  // Nothing from a cache: what a plan costs shall show every time.
  return std::make_unique<PlanProduct<T>>(
      plan(a, {.device = here,
               .op = r.use,
               .vectors = static_cast<int>(p.at("vectors")),
               .layout = p.at("layout") == 0 ? Layout::row_major : Layout::column_major,
               .effort = r.effort,
               .store_transpose = r.store_transpose,
               .cache = {.use = false}}));
}

template <std::size_t row, Device::Kind kind>
PrepareTable table() {
  const auto runs = [](const Kernel& k) { return k.family != "peer" && k.runs_on_device(kind); };
  if (std::none_of(kernels().begin(), kernels().end(), runs)) return {};
  return {
      prepare_plan<row, kind, float, std::int32_t>, prepare_plan<row, kind, float, std::int64_t>,
      prepare_plan<row, kind, double, std::int32_t>, prepare_plan<row, kind, double, std::int64_t>};
}

template <std::size_t row, Device::Kind kind>
Kernel kernel() {
  constexpr const Row& r = rows[row];
  constexpr bool here = kind == Device::Kind::cpu;
  return {.family = plan_family,
          .format = name(r.effort),
          .strategy = r.use_name,
          .transposes = r.use.t,
          .several = true,  // if what it takes has
          .threaded = here,
          .source = "nz::plan",
          .summary = r.summary,
          .parameters = {vectors_parameter(), layout_parameter()},
          .runs_on = kind,
          .prepare = table<row, kind>(),
          .emulated = here ? PrepareTable{} : table<row, Device::Kind::emulator>()};
}

template <std::size_t... row>
std::vector<Kernel> all_kernels(std::index_sequence<row...>) {
  return {kernel<row, Device::Kind::cuda>()..., kernel<row, Device::Kind::cpu>()...};
}

}  // namespace

void add_plans() {
  static std::once_flag once;
  std::call_once(once, [] {
    std::vector<Kernel> all = all_kernels(std::make_index_sequence<rows.size()>());
    std::erase_if(all, [](const Kernel& k) { return !k.supports(ValueType::f64); });
    add_kernels(std::move(all));
  });
}

bool is_plan(const Kernel& k) { return k.family == plan_family; }

bool measures(const Kernel& k, Op op) {
  if (!is_plan(k)) return true;
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& r) {
    return name(r.effort) == k.format && r.use_name == k.strategy;
  });
  return row == rows.end() || row->use.has(op);
}

}  // namespace nz::lab
