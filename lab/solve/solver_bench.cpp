#include "lab/solve/solver_bench.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include <nlohmann/json.hpp>
#include <nonzero/error.hpp>
#include <nonzero/solve.hpp>

#include "lab/bench/gpu_state.hpp"
#include "lab/bench/gpu_timing.hpp"
#include "lab/bench/machine.hpp"
#include "lab/bench/measure.hpp"
#include "lab/bench/source.hpp"
#include "lab/bench/vectors.hpp"
#include "lab/peers/cusparse_solvers.hpp"
#include "solve/workspace.hpp"

namespace nz::lab {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;
using Matrix = Csr<double, std::int32_t>;
constexpr double damping = 0.85;

struct Subject {
  const char *name, *large, *small;
  bool graph;
};
constexpr Subject subjects[] = {
    {"stencil27", "gen:grid:points=27,nx=160,ny=160,nz=160", "gen:grid:points=27,nx=8,ny=7,nz=6",
     false},
    {"fem", "gen:fem:nx=55,ny=55,nz=56,block=3,blocks=13",
     "gen:fem:nx=5,ny=4,nz=4,block=3,blocks=13", false},
    {"rmat", "gen:rmat:scale=22,degree=16", "gen:rmat:scale=7,degree=8", true},
};

// How often an iteration reads or writes a whole vector outside its products: as the sweeps of
// src/solve do it, each vector once a sweep.
struct Iteration {
  const char* name;
  int vectors;
  int products;
  bool transposes;
  bool graph;
};
constexpr Iteration iterations[] = {
    {"cg", 2 + 3 + 5, 1, false, false},
    {"bicg", 2 + 6 + 8, 2, true, false},
    {"pagerank", 1 + 5, 1, false, true},
};

// Seconds of the iterations after the first half, by the looks of the solver.
class Watch {
 public:
  Watch(int from, int to) : from_(from), to_(to) {}
  solve::Callback callback() {
    return [this](int iteration, double) {
      if (iteration == from_) begin_ = Clock::now();
      if (iteration == to_) end_ = Clock::now();
      return true;
    };
  }
  double seconds_per_iteration() const {
    if (!begin_ || !end_) throw Error("the iteration ended before it was timed");
    return std::chrono::duration<double>(*end_ - *begin_).count() / (to_ - from_);
  }

 private:
  int from_, to_;
  std::optional<Clock::time_point> begin_, end_;
};

double distance(std::span<const double> x, std::span<const double> y) {
  double d = 0, all = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    d += (x[i] - y[i]) * (x[i] - y[i]);
    all += x[i] * x[i];
  }
  return std::sqrt(d / std::max(all, 1e-300));
}

Json timed(const Timing& t) {
  return {{"iteration_s", t.median()}, {"spread", t.spread()}, {"samples_s", t.samples}};
}

// The products of a plan, without their ends: what solvers do with an operator that has none.
struct WithoutEnds {
  const Plan<double>* plan;
  index_t rows() const { return plan->rows(); }
  index_t cols() const { return plan->cols(); }
  Device device() const { return plan->device(); }
  int threads() const { return plan->team(); }
  bool supports(Op op) const { return plan->supports(op); }
  bool repeats(Op op) const { return plan->repeats(op); }
  bool captures() const { return true; }
  void multiply(double alpha, std::span<const double> x, double beta, std::span<double> y, Op op,
                StreamView stream) const {
    plan->multiply(alpha, x, beta, y, op, stream);
  }
};

// One matrix and one iteration on it.
class Case {
 public:
  Case(const SolverBench& what, const Iteration& it, const Matrix& a, const Matrix& peer)
      : what_(what),
        it_(it),
        a_(a),
        peer_(peer),
        plan_(plan(a.view(), {.kernel = what.kernel,
                              .device = what.device,
                              .op = it.transposes ? both_ops : Use(Op::none)})),
        b_(static_cast<std::size_t>(a.rows)) {
    fill_random<double>(b_, 3);
  }

  // `to`: seconds a product and an iteration at the least.
  void run(Json& r, double bandwidth) {
    const auto n = static_cast<double>(a_.rows);
    double bytes = static_cast<double>(plan_.product().traffic(Op::none, false));
    if (it_.transposes)
      bytes += static_cast<double>(plan_.product(Op::transpose).traffic(Op::transpose, false));
    const double vector_bytes = it_.vectors * n * sizeof(double);
    r["kernel"] = plan_.kernel().id();
    r["parameters"] = plan_.parameters();
    r["reason"] = plan_.reason();
    r["setup_s"] = plan_.prepare_seconds();
    r["product_bytes"] = bytes;
    r["vector_bytes"] = vector_bytes;
    verify(r);
    if (r["status"] != "ok" || what_.device.kind == Device::Kind::emulator) return;
    Timing ours;
    for (int s = 0; s < what_.samples; ++s) ours.samples.push_back(sample());
    r.update(timed(ours));
    r["replayed"] = replayed_;
    if (what_.device.kind == Device::Kind::cuda) r["product_s"] = product_seconds();
    if (has_ends()) measure_without_ends(r);
    const double limit = (bytes + vector_bytes) / bandwidth;
    r["limit_s"] = limit;
    r["over_limit"] = ours.median() / limit;
    if (what_.device.kind == Device::Kind::cuda && peers::has_cusparse_solvers())
      measure_peers(r, ours.median());
  }

 private:
  solve::Result solve(std::span<double> x, double tolerance, int most, const solve::Callback& c) {
    if (it_.graph) {
      solve::PageRankOptions<double> o;
      o.tolerance = tolerance;
      o.max_iterations = most;
      o.callback = c;
      o.damping = damping;
      o.transposed = true;
      return solve::pagerank(plan_, x, o);
    }
    const solve::Options<double> o{
        .tolerance = tolerance, .max_iterations = most, .callback = c, .check_symmetry = false};
    std::fill(x.begin(), x.end(), 0.0);
    return it_.transposes ? solve::bicg(plan_, b_, x, o) : solve::cg(plan_, b_, x, o);
  }

  void verify(Json& r) {
    std::vector<double> x(b_.size());
    const double tolerance = 1e-8;
    const solve::Result s = solve(x, tolerance, 5000, {});
    r["iterations_to_1e-8"] = s.iterations;
    double rest = s.residual;
    if (!it_.graph) {
      rest = solve::true_residual(a_.view(), b_, x);
      r["true_residual"] = rest;
    } else {
      double sum = 0;
      for (const double e : x) sum += e;
      r["sum"] = sum;
      if (std::abs(sum - 1) > 1e-9) rest = NAN;
    }
    const bool right = s.ok() && rest <= 2 * tolerance;
    r["status"] = right ? "ok" : "wrong";
    if (!right) r["why"] = s.message;
  }

  double sample() {
    x_.assign(b_.size(), 0.0);
    Watch watch(what_.iterations / 2, what_.iterations);
    replayed_ = solve(x_, 0, what_.iterations, watch.callback()).replayed;
    return watch.seconds_per_iteration();
  }

  // Whether the product of the iteration can bring its dot product along, as solvers on CPUs ask it
  // to where vectors are long.
  bool has_ends() const {
    const bool is_long = b_.size() * sizeof(double) >= solve::SolverWorkspace<double>::worth_fusing;
    return what_.device == cpu_device && is_long && !it_.graph && !it_.transposes &&
           plan_.fuses(Op::none);
  }
  // The same iterations with a dot product of its own, in turns with samples as before.
  void measure_without_ends(Json& r) {
    const LinearOperator<double> apart{WithoutEnds{&plan_}};
    Timing t, again;
    std::vector<double> x;
    for (int s = 0; s < what_.samples; ++s) {
      x.assign(b_.size(), 0.0);
      Watch watch(what_.iterations / 2, what_.iterations);
      solve::cg(apart, b_, x,
                {.tolerance = 0,
                 .max_iterations = what_.iterations,
                 .callback = watch.callback(),
                 .check_symmetry = false});
      t.samples.push_back(watch.seconds_per_iteration());
      again.samples.push_back(sample());
    }
    r["without_fused_end"] = timed(t);
    r["without_fused_end"]["fused_meanwhile_s"] = again.samples;
    r["without_fused_end"]["gain"] = t.median() / again.median();
  }

  // The product alone, one behind the other.
  double product_seconds() {
    GpuTimer timer(what_.device);
    DeviceArray<double> x(what_.device, std::span<const double>(b_)), y(what_.device, b_.size());
    double all = 0;
    for (const Op op : {Op::none, Op::transpose}) {
      if (op == Op::transpose && !it_.transposes) continue;
      all +=
          timer
              .measure([&](StreamView s) { plan_.multiply(1.0, x.span(), 0.0, y.span(), op, s); },
                       {.seconds = 0.1})
              .hot.median();
    }
    return all;
  }

  void measure_peers(Json& r, double ours) {
    struct How {
      const char* name;
      bool graph, stored;
    };
    double best = INFINITY;
    for (const How& how : {How{"scalars on the host", false, false}, How{"CUDA graph", true, false},
                           How{"CUDA graph, transpose stored", true, true}}) {
      if (how.stored && !it_.transposes) continue;
      Json p{{"how", how.name}};
      try {
        Timing t;
        peers::PeerRun last;
        const peers::PeerHow asked{.iterations = what_.iterations,
                                   .uncounted = what_.iterations / 2,
                                   .graph = how.graph,
                                   .stored_transpose = how.stored};
        for (int s = 0; s < std::min(what_.samples, 3); ++s) {
          last = it_.graph ? peers::cusparse_pagerank(what_.device, peer_.view(), damping, asked)
                 : it_.transposes ? peers::cusparse_bicg(what_.device, peer_.view(), b_, asked)
                                  : peers::cusparse_cg(what_.device, peer_.view(), b_, asked);
          t.samples.push_back(last.seconds / (what_.iterations - what_.iterations / 2));
        }
        p.update(timed(t));
        p["difference"] = distance(x_, last.x);
        p["speedup"] = t.median() / ours;
        if (!how.stored) best = std::min(best, t.median());
      } catch (const Error& e) {
        p["status"] = "failed";
        p["why"] = e.what();
      }
      r["peers"].push_back(p);
    }
    if (std::isfinite(best)) r["speedup"] = best / ours;
  }

  const SolverBench& what_;
  const Iteration& it_;
  const Matrix &a_, &peer_;
  Plan<double> plan_;
  std::vector<double> b_, x_;
  bool replayed_ = false;
};

// The graph's edges turned round, all of weight 1; for the peer, columns that add up to 1.
Matrix turned_pattern(const Matrix& g) {
  Matrix t = transpose(g.view());
  std::fill(t.values.begin(), t.values.end(), 1.0);
  return t;
}
Matrix stochastic(const Matrix& turned) {
  Matrix p = turned;
  std::vector<double> out(static_cast<std::size_t>(p.cols), 0.0);
  for (const index_t j : p.columns) out[static_cast<std::size_t>(j)] += 1;
  for (std::size_t k = 0; k < p.values.size(); ++k)
    p.values[k] = 1 / out[static_cast<std::size_t>(p.columns[k])];
  return p;
}

bool wanted(const SolverBench& what, const Iteration& it, const Subject& s) {
  return it.graph == s.graph && (what.only.empty() || std::find(what.only.begin(), what.only.end(),
                                                                it.name) != what.only.end());
}

Json header(const SolverBench& what, double& bandwidth) {
  const Commit c = commit();
  Json j{{"schema", solver_record_schema},
         {"commit", c.id},
         {"dirty", c.dirty},
         {"compiler", compiler()},
         {"build_type", build_type()},
         {"machine", describe_machine(what.device)},
         {"environment", describe_environment()},
         {"settings",
          {{"device", what.device.name()},
           {"small", what.small},
           {"kernel", what.kernel},
           {"samples", what.samples},
           {"iterations", what.iterations}}},
         {"peer", what.device.kind == Device::Kind::cuda ? peers::cusparse_solvers_version() : ""}};
  if (what.device.kind != Device::Kind::emulator) {
    const Bandwidth b =
        what.device == cpu_device ? measure_bandwidth() : measure_bandwidth(what.device);
    bandwidth = b.read;
    j["read_bandwidth"] = b.read;
  }
  j["results"] = Json::array();
  return j;
}

}  // namespace

Json run_solver_bench(const SolverBench& what, const std::function<void(const Json&)>& tell) {
  for (const std::string& name : what.only)
    if (std::none_of(std::begin(iterations), std::end(iterations),
                     [&](const Iteration& i) { return name == i.name; }))
      throw InvalidArgument("no iteration '" + name + "'; there are cg, bicg and pagerank");
  if (what.iterations < 100 || what.iterations % 100 != 0)
    throw InvalidArgument("a sample has a multiple of 100 iterations");
  double bandwidth = 0;
  Json record = header(what, bandwidth);
  GpuStates clocks;
  for (const Subject& s : subjects) {
    if (std::none_of(std::begin(iterations), std::end(iterations),
                     [&](const Iteration& i) { return wanted(what, i, s); }))
      continue;
    const char* from = what.small ? s.small : s.large;
    Matrix a = csr_with_offsets<std::int32_t>(load(from).matrix);
    Matrix peer;
    if (s.graph) {
      a = turned_pattern(a);
      peer = stochastic(a);
    }
    for (const Iteration& it : iterations) {
      if (!wanted(what, it, s)) continue;
      Json r{{"matrix", s.name},
             {"source", from},
             {"rows", a.rows},
             {"nnz", a.nnz()},
             {"method", it.name},
             {"type", "f64"},
             {"device", what.device.name()}};
      try {
        Case(what, it, a, s.graph ? peer : a).run(r, bandwidth);
      } catch (const Error& e) {
        r["status"] = "failed";
        r["why"] = e.what();
      }
      if (what.device.kind == Device::Kind::cuda) clocks.add(gpu_state(what.device));
      record["results"].push_back(std::move(r));
      record["clocks"] = clocks.describe();
      tell(record);
    }
  }
  return record;
}

}  // namespace nz::lab
