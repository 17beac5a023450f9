#include "lab/bench/runner.hpp"

#include <algorithm>
#include <new>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nonzero/plan.hpp>
#include <nonzero/threads.hpp>

#include "lab/bench/case_result.hpp"
#include "lab/bench/density.hpp"
#include "lab/bench/gpu_state.hpp"
#include "lab/bench/gpu_timing.hpp"
#include "lab/bench/plan_rows.hpp"
#include "plan/fitted.hpp"

namespace nz::lab {
namespace {

// The types in the order that lets the double matrix go first.
std::vector<ValueType> widest_first(std::vector<ValueType> types) {
  std::sort(types.begin(), types.end(), std::greater<>());
  return types;
}

// body(view) for each type, the matrix held in one type at a time.
template <class Body>
void each_type(Narrowed matrix, const std::vector<ValueType>& types, Body&& body) {
  const auto all = [&](auto& m) {
    using O = typename std::decay_t<decltype(m.view())>::offset_type;
    for (const ValueType type : widest_first(types)) {
      if (type == ValueType::f64) {
        body(m.view());
      } else {
        const auto in_f32 = csr_cast<float, O>(m.view());
        m = {};
        body(in_f32.view());
      }
    }
  };
  std::visit(all, matrix);
}

// Of the order's, those that the kernel is there for.
std::vector<Op> ops_for(const Order& order, const Kernel& kernel) {
  std::vector<Op> ops;
  for (const Op op : order.ops)
    if (measures(kernel, op)) ops.push_back(op);
  return ops;
}

// One run through an order, with what is done already.
class Run {
 public:
  Run(const Order& order, Record& record, Listener& listener)
      : order_(order), record_(record), listener_(listener), jobs_(jobs(order)) {
    for (const Result& r : record.results) done_.insert(key(r));
    for (const Job& job : jobs_) cases_per_matrix_ += ops_for(order, *job.kernel).size();
    cases_per_matrix_ = planned_per_matrix() + cases_per_matrix_ * order.types.size();
    total_ = order.matrices.size() * cases_per_matrix_;
  }

  bool all() {
    for (const SuiteMatrix& m : order_.matrices) {
      if (!pending(m)) continue;
      if (listener_.stop()) return false;
      if (!one(m)) return false;
    }
    return true;
  }

 private:
  std::vector<Op> pending_ops(const SuiteMatrix& m, const Job& job, const std::vector<Op>& wanted,
                              ValueType type) const {
    std::vector<Op> ops;
    for (const Op op : wanted)
      if (!done_.contains(key(about(about(m, 0, 0, 0), job, op, type, order_.device))))
        ops.push_back(op);
    return ops;
  }

  bool pending(const SuiteMatrix& m) {
    bool any = false;
    // A kernel whose parameters are fitted to the matrix is pending until the matrix is there.
    for (const ValueType type : order_.types)
      for (const Job& job : jobs_)
        any = any || !pending_ops(m, job, ops_for(order_, *job.kernel), type).empty();
    // Which kernel the plan takes shows when the matrix is there; whether it took one is recorded.
    if (plans_one()) any = any || planned_cases(m) < planned_per_matrix();
    if (!any) done_cases_ += cases_per_matrix_;
    return any;
  }

  // What a plan chooses for one vector is a kernel; for several it is a row of its own.
  bool plans_one() const {
    const auto one = [](const VectorSet& v) { return !v.several(); };
    return order_.plan && std::any_of(order_.vectors.begin(), order_.vectors.end(), one);
  }
  std::size_t planned_per_matrix() const {
    return plans_one() ? order_.types.size() * order_.ops.size() * order_.threads.size() : 0;
  }
  std::size_t planned_cases(const SuiteMatrix& m) const {
    return static_cast<std::size_t>(std::count_if(
        record_.results.begin(), record_.results.end(),
        [&](const Result& r) { return r.matrix == m.name && r.planned.value_or(false); }));
  }

  // False when stopped.
  bool one(const SuiteMatrix& m) {
    Source source;
    try {
      source = listener_.load(m);
      round_values(source, order_.store_values_as);
    } catch (const Refused& e) {
      return fail(m, source, e.what());
    } catch (const NoResource& e) {
      return fail(m, source, e.what());
    } catch (const std::bad_alloc&) {
      return fail(m, source, "not enough memory");
    }
    const Result base = about(m, source.matrix.rows, source.matrix.cols, source.matrix.nnz());
    require_known(base);
    listener_.loaded(m, source);
    if (!record_.pictures.contains(m.name))
      record_.pictures[m.name] = thumbnail(source.matrix.view());
    if (!record_.row_lengths.contains(m.name))
      record_.row_lengths[m.name] = row_lengths(source.matrix.view());
    bool go_on = true;
    each_type(narrow(std::move(source.matrix)), order_.types, [&](const auto& a) {
      using View = std::decay_t<decltype(a)>;
      Stage<typename View::value_type, typename View::offset_type> stage(a);
      const Result& blank = base;
      const std::size_t before = record_.results.size();
      for (const int threads : order_.threads)
        for (const Op op : order_.ops) foresee(m, a, op, threads);
      // The plan's own choices first; the same case among the kernels is then done.
      if (plans_one())
        for (const int threads : order_.threads)
          for (const Op op : order_.ops)
            if (go_on = go_on && !listener_.stop(); go_on)
              perform(m, chosen(m, a, op, threads), {op}, true, stage, blank);
      for (const Job& job : jobs_) {
        go_on = go_on && !listener_.stop();
        if (!go_on) break;
        Job suited = job;
        suited.parameters = fitted(*job.kernel, job.parameters, a);
        perform(m, suited, ops_for(order_, *job.kernel), false, stage, blank);
      }
      if (order_.rounds > 1) {
        go_on = go_on && time_in_turn(stage);
        in_turn_.clear();
        // So that who goes on times all of them in turn again.
        if (!go_on) forget(before);
        save();
      }
    });
    return go_on;
  }

  // What the models of plans predict for one vector, once.
  template <class View>
  void foresee(const SuiteMatrix& m, const View& a, Op op, int threads) {
    Forecast f = forecast_of<View>(m, op, threads);
    if (forecast_like(f)) return;
    const ThreadScope scope(threads);
    f.predictions = predictions(a, op, order_.device);
    if (!f.predictions.empty()) record_.forecasts.push_back(std::move(f));
  }
  template <class View>
  Forecast forecast_of(const SuiteMatrix& m, Op op, int threads) const {
    return {.matrix = m.name,
            .device = order_.device.name(),
            .type = std::string(name(value_type_of<typename View::value_type>)),
            .op = std::string(name(op)),
            .threads = threads};
  }
  Forecast* forecast_like(const Forecast& f) {
    const auto at = std::find_if(record_.forecasts.begin(), record_.forecasts.end(),
                                 [&](const Forecast& known) { return known.about(f); });
    return at == record_.forecasts.end() ? nullptr : &*at;
  }

  // What nz::plan would take.
  template <class View>
  Job chosen(const SuiteMatrix& m, const View& a, Op op, int threads) {
    const ThreadScope scope(threads);
    const Choice c = choose(a, op, order_.device, Effort::balanced, Input::trusted);
    if (Forecast* f = forecast_like(forecast_of<View>(m, op, threads))) {
      f->kernel = c.kernel->id();
      f->why = c.reason;
    }
    return {c.kernel, c.kernel->resolve(c.parameters), c.kernel->threaded ? threads : 1};
  }

  template <class T, class O>
  void perform(const SuiteMatrix& m, const Job& job, const std::vector<Op>& wanted, bool planned,
               Stage<T, O>& stage, const Result& blank) {
    if (wanted.empty()) return;
    constexpr ValueType type = value_type_of<T>;
    listener_.next(done_cases_, total_, m, job);
    done_cases_ += wanted.size();
    const std::vector<Op> ops = pending_ops(m, job, wanted, type);
    if (ops.empty()) return;
    const Bandwidth* memory = memory_of(job.threads);
    const Attempt attempt{.device = order_.device,
                          .ops = ops,
                          .vectors = job.vectors,
                          .parameters = job.parameters,
                          .threads = job.threads,
                          .pin = order_.pin,
                          .budget = order_.budget,
                          .alpha = order_.alpha,
                          .beta = order_.beta,
                          .keep = order_.rounds > 1};
    for (Trial& t : stage.perform(*job.kernel, attempt)) {
      Result r = about(blank, job, t.op, type, order_.device);
      r.csr_bytes = csr_traffic(stage.matrix(), job.vectors.count);
      const index_t read_again = is_transposed(t.op) ? stage.matrix().cols : stage.matrix().rows;
      if (order_.beta != 0) r.csr_bytes += std::int64_t{read_again} * std::int64_t{sizeof(T)};
      add(r, t, memory);
      if (plans_one() && !job.vectors.several() && !is_plan(*job.kernel)) r.planned = planned;
      keep(std::move(r));
      if (order_.rounds > 1)
        in_turn_.push_back({std::move(t), attempt, record_.results.size() - 1});
    }
    states_.add(gpu_state(order_.device));
    record_.clocks = states_.describe();
    if (order_.rounds == 1) save();
  }

  // The other rounds of what was just prepared and timed; false when stopped.
  template <class T, class O>
  bool time_in_turn(Stage<T, O>& stage) {
    for (int round = 1; round < order_.rounds; ++round)
      for (Turn& turn : in_turn_) {
        if (listener_.stop()) return false;
        stage.time_again(turn.trial, turn.attempt);
        add(record_.results[turn.result], turn.trial, memory_of(turn.trial.threads));
      }
    return true;
  }

  // Results from that one on.
  void forget(std::size_t first) {
    for (std::size_t i = first; i < record_.results.size(); ++i)
      done_.erase(key(record_.results[i]));
    record_.results.resize(first);
  }

  // What was read of it has a shape.
  bool fail(const SuiteMatrix& m, const Source& s, const std::string& reason) {
    const Result blank = about(m, s.matrix.rows, s.matrix.cols, s.matrix.nnz());
    for (const ValueType type : order_.types)
      for (const Job& job : jobs_) {
        const std::vector<Op> ops = ops_for(order_, *job.kernel);
        done_cases_ += ops.size();
        for (const Op op : pending_ops(m, job, ops, type)) {
          Result r = about(blank, job, op, type, order_.device);
          r.status = Status::failed;
          r.reason = reason;
          keep(std::move(r));
        }
      }
    save();
    return true;
  }

  void keep(Result r) {
    done_.insert(key(r));
    record_.results.push_back(std::move(r));
  }

  void save() {
    record_.compare_with_csr();
    listener_.measured(record_);
  }

  const Bandwidth* memory_of(int threads) {
    const std::string device = order_.device.name();
    if (order_.device.kind == Device::Kind::emulator) return nullptr;
    if (!record_.memory(threads, device)) {
      listener_.measuring_memory(threads);
      record_.bandwidth.push_back(order_.device == cpu_device
                                      ? measure_memory(threads)
                                      : measure_bandwidth(order_.device, order_.buffer_bytes));
      states_.add(gpu_state(order_.device));  // the clock under load
    }
    return record_.memory(threads, device);
  }

  Bandwidth measure_memory(int threads) const {
    const ThreadScope scope(threads);
    if (order_.pin) pin_threads();
    return order_.buffer_bytes > 0 ? measure_bandwidth(order_.buffer_bytes) : measure_bandwidth();
  }

  void require_known(const Result& now) const {
    for (const Result& r : record_.results)
      if (r.matrix == now.matrix && r.nnz > 0 &&
          (r.rows != now.rows || r.cols != now.cols || r.nnz != now.nnz))
        throw BadInput(
            fmt::format("{}: the record has another matrix of that name ({})", r.matrix, r.source));
  }

  // To be timed again, and where its result is.
  struct Turn {
    Trial trial;
    Attempt attempt;
    std::size_t result;
  };

  const Order& order_;
  Record& record_;
  Listener& listener_;
  std::vector<Job> jobs_;
  std::set<std::string> done_;
  std::vector<Turn> in_turn_;
  GpuStates states_;
  std::size_t cases_per_matrix_ = 0, done_cases_ = 0, total_ = 0;
};

}  // namespace

bool run(const Order& order, Record& record, Listener& listener) {
  return Run(order, record, listener).all();
}

void profile(const Order& order, Listener& listener,
             const std::function<void(const SuiteMatrix&, const Trial&)>& tell) {
  const std::vector<Job> all = jobs(order);
  for (const SuiteMatrix& m : order.matrices) {
    Source source = listener.load(m);
    round_values(source, order.store_values_as);
    each_type(narrow(std::move(source.matrix)), order.types, [&](const auto& a) {
      using View = std::decay_t<decltype(a)>;
      Stage<typename View::value_type, typename View::offset_type> stage(a);
      for (const Job& job : all)
        for (const Trial& t : stage.profile(*job.kernel, {.device = order.device,
                                                         .ops = ops_for(order, *job.kernel),
                                                         .vectors = job.vectors,
                                                         .parameters = job.parameters,
                                                         .threads = job.threads,
                                                         .pin = order.pin,
                                                         .products = order.products}))
          tell(m, t);
    });
  }
}

}  // namespace nz::lab
