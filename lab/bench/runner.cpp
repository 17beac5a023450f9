#include "lab/bench/runner.hpp"

#include <algorithm>
#include <new>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nonzero/plan.hpp>
#include <nonzero/threads.hpp>

namespace nz::lab {
namespace {

// All that the record says of a matrix.
Result about(const SuiteMatrix& m, std::int64_t rows, std::int64_t cols, std::int64_t nnz) {
  Result r;
  r.matrix = m.name;
  r.source = m.source;
  r.rows = rows;
  r.cols = cols;
  r.nnz = nnz;
  return r;
}

Result about(Result r, const Job& job, Op op, ValueType type) {
  r.kernel = job.kernel->id();
  r.parameters = job.parameters;
  r.threads = job.threads;
  r.op = std::string(name(op));
  r.type = std::string(name(type));
  return r;
}

// What plain CSR must move for one product, as its kernel counts it.
template <class T, class O>
std::int64_t csr_traffic(const CsrView<T, O>& a) {
  const auto vectors = static_cast<std::size_t>(a.rows) + static_cast<std::size_t>(a.cols);
  return static_cast<std::int64_t>(a.bytes() + vectors * sizeof(T));
}

void add(Result& r, const Trial& t, const Bandwidth* memory) {
  r.status = t.status;
  r.reason = t.reason;
  if (t.prepared) {
    r.setup_s = t.prepare_seconds;
    r.prepared_bytes = static_cast<std::int64_t>(t.bytes);
  }
  if (t.traffic > 0) r.bytes = static_cast<std::int64_t>(t.traffic);
  if (t.status == Status::wrong || t.status == Status::ok) r.worst_error = t.worst_error;
  if (t.status != Status::ok) return;
  r.samples_s = t.timing.samples;
  r.multiplies_a_sample = t.timing.runs_a_sample;
  r.median_s = t.timing.median();
  r.spread = t.timing.spread();
  r.noise = t.timing.noise();
  if (*r.median_s <= 0) return;
  r.gflops = 2e-9 * static_cast<double>(r.nnz) / *r.median_s;
  if (memory) r.bandwidth_share = static_cast<double>(t.traffic) / *r.median_s / memory->read;
}

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

// One run through an order, with what is done already.
class Run {
 public:
  Run(const Order& order, Record& record, Listener& listener)
      : order_(order), record_(record), listener_(listener), jobs_(jobs(order)) {
    for (const Result& r : record.results) done_.insert(key(r));
    total_ = order.matrices.size() *
             (planned_a_matrix() + jobs_.size() * order.types.size() * order.ops.size());
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
      if (!done_.contains(key(about(about(m, 0, 0, 0), job, op, type)))) ops.push_back(op);
    return ops;
  }

  bool pending(const SuiteMatrix& m) {
    bool any = false;
    for (const ValueType type : order_.types)
      for (const Job& job : jobs_) any = any || !pending_ops(m, job, order_.ops, type).empty();
    // Which kernel the plan takes shows when the matrix is there; whether it took one is recorded.
    if (order_.plan) any = any || planned_cases(m) < planned_a_matrix();
    if (!any)
      done_cases_ += planned_a_matrix() + jobs_.size() * order_.types.size() * order_.ops.size();
    return any;
  }

  std::size_t planned_a_matrix() const {
    return order_.plan ? order_.types.size() * order_.ops.size() * order_.threads.size() : 0;
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
    } catch (const NoResource& e) {
      return fail(m, e.what());
    } catch (const std::bad_alloc&) {
      return fail(m, "not enough memory");
    }
    const Result base = about(m, source.matrix.rows, source.matrix.cols, source.matrix.nnz());
    require_known(base);
    listener_.loaded(m, source);
    bool go_on = true;
    each_type(narrow(std::move(source.matrix)), order_.types, [&](const auto& a) {
      using View = std::decay_t<decltype(a)>;
      Stage<typename View::value_type, typename View::offset_type> stage(a);
      Result blank = base;
      blank.csr_bytes = csr_traffic(a);
      // The plan's own choices first; the same case among the kernels is then done.
      if (order_.plan)
        for (const int threads : order_.threads)
          for (const Op op : order_.ops)
            if (go_on = go_on && !listener_.stop(); go_on)
              perform(m, chosen(a, op, threads), {op}, true, stage, blank);
      for (const Job& job : jobs_) {
        go_on = go_on && !listener_.stop();
        if (go_on) perform(m, job, order_.ops, false, stage, blank);
      }
    });
    return go_on;
  }

  // What nz::plan would take.
  template <class View>
  Job chosen(const View& a, Op op, int threads) const {
    const ThreadScope scope(threads);
    const Choice c = choose(a, op);
    return {c.kernel, c.kernel->resolve(c.parameters), c.kernel->threaded ? threads : 1};
  }

  template <class T, class O>
  void perform(const SuiteMatrix& m, const Job& job, const std::vector<Op>& wanted, bool planned,
               Stage<T, O>& stage, const Result& blank) {
    constexpr ValueType type = value_type_of<T>;
    listener_.next(done_cases_, total_, m, job);
    done_cases_ += wanted.size();
    const std::vector<Op> ops = pending_ops(m, job, wanted, type);
    if (ops.empty()) return;
    const Bandwidth* memory = memory_of(job.threads);
    for (const Trial& t : stage.perform(*job.kernel, {.ops = ops,
                                                     .parameters = job.parameters,
                                                     .threads = job.threads,
                                                     .pin = order_.pin,
                                                     .budget = order_.budget})) {
      Result r = about(blank, job, t.op, type);
      add(r, t, memory);
      if (order_.plan) r.planned = planned;
      keep(std::move(r));
    }
    save();
  }

  bool fail(const SuiteMatrix& m, const std::string& reason) {
    for (const ValueType type : order_.types)
      for (const Job& job : jobs_) {
        done_cases_ += order_.ops.size();
        for (const Op op : pending_ops(m, job, order_.ops, type)) {
          Result r = about(about(m, 0, 0, 0), job, op, type);
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
    if (!record_.memory(threads)) {
      listener_.measuring_memory(threads);
      const ThreadScope scope(threads);
      if (order_.pin) pin_threads();
      record_.bandwidth.push_back(order_.buffer_bytes > 0 ? measure_bandwidth(order_.buffer_bytes)
                                                          : measure_bandwidth());
    }
    return record_.memory(threads);
  }

  void require_known(const Result& now) const {
    for (const Result& r : record_.results)
      if (r.matrix == now.matrix && r.nnz > 0 &&
          (r.rows != now.rows || r.cols != now.cols || r.nnz != now.nnz))
        throw BadInput(
            fmt::format("{}: the record has another matrix of that name ({})", r.matrix, r.source));
  }

  const Order& order_;
  Record& record_;
  Listener& listener_;
  std::vector<Job> jobs_;
  std::set<std::string> done_;
  std::size_t done_cases_ = 0, total_ = 0;
};

}  // namespace

std::vector<Job> jobs(const Order& order) {
  std::set<std::string> unused;
  for (const auto& [name, values] : order.parameters) unused.insert(name);
  std::vector<Job> all;
  for (const Kernel* kernel : order.kernels) {
    std::vector<Parameters> choices{{}};
    for (const Parameter& p : kernel->parameters) {
      const auto wanted = order.parameters.find(std::string(p.name));
      if (wanted == order.parameters.end()) continue;
      unused.erase(wanted->first);
      std::vector<Parameters> more;
      for (const Parameters& choice : choices)
        for (const std::int64_t value : wanted->second) {
          more.push_back(choice);
          more.back()[wanted->first] = value;
        }
      choices = std::move(more);
    }
    const std::vector<int> one{1};
    for (const int threads : kernel->threaded ? order.threads : one)
      for (const Parameters& choice : choices)
        all.push_back({kernel, kernel->resolve(choice), threads});
  }
  if (!unused.empty())
    throw InvalidArgument(fmt::format("none of the kernels has a parameter '{}'", *unused.begin()));
  return all;
}

bool pin(const Order& order) {
  const ThreadScope scope(*std::max_element(order.threads.begin(), order.threads.end()));
  return pin_threads();
}

bool run(const Order& order, Record& record, Listener& listener) {
  return Run(order, record, listener).all();
}

void profile(const Order& order, Listener& listener,
             const std::function<void(const SuiteMatrix&, const Trial&)>& tell) {
  const std::vector<Job> all = jobs(order);
  for (const SuiteMatrix& m : order.matrices) {
    Source source = listener.load(m);
    each_type(narrow(std::move(source.matrix)), order.types, [&](const auto& a) {
      using View = std::decay_t<decltype(a)>;
      Stage<typename View::value_type, typename View::offset_type> stage(a);
      for (const Job& job : all)
        for (const Trial& t : stage.profile(*job.kernel, {.ops = order.ops,
                                                         .parameters = job.parameters,
                                                         .threads = job.threads,
                                                         .pin = order.pin}))
          tell(m, t);
    });
  }
}

}  // namespace nz::lab
