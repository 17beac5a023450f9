#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <nonzero/kernel.hpp>

#include "lab/bench/measure.hpp"
#include "lab/bench/record.hpp"
#include "lab/bench/source.hpp"
#include "lab/bench/suite.hpp"

namespace nz::lab {

// What to measure: every matrix with every kernel, op, type and number of threads. A kernel that is
// not threaded is measured once, on one thread.
struct Order {
  std::vector<SuiteMatrix> matrices;
  Device device{};  // where the kernels run; on the emulator nothing is timed
  std::vector<const Kernel*> kernels;
  bool plan = false;  // also what nz::plan chooses for the matrix, op, type and threads
  // How many vectors, and how they lie. One vector is multiplied by every kernel but those for
  // several alone, unless those are named; several by the kernels that read the matrix once for
  // them, by plans, and where kernels were named by all of ours.
  std::vector<VectorSet> vectors{{}};
  bool named = false, named_spmm = false;
  std::vector<Op> ops{Op::none};
  std::vector<ValueType> types{ValueType::f64};
  std::vector<int> threads{1};
  // Values for the kernels that have such a parameter; several values: a case for each.
  std::map<std::string, std::vector<std::int64_t>> parameters{};
  Budget budget{};
  std::size_t buffer_bytes = 0;  // of the memory test; 0: four last-level caches, or 4 GiB on a GPU
  bool pin = false;              // bind the threads of every job
  int products = 1;              // of a profile on the CPU
  // Of the products that are timed with one vector; checked is op(A) x.
  double alpha = 1, beta = 0;
  // Times that every kernel of a matrix is timed, in turn with the others: one vector, on the CPU.
  int rounds = 1;
  // What the values of every matrix are rounded to before anything else.
  StoredValues store_values_as = StoredValues::exact;
};

// Binds the threads of the largest team of the order, before anything is loaded, and says whether
// every team of it can be bound.
bool pin(const Order& order);

// The kernel with one choice of its parameters, on a number of threads.
struct Job {
  const Kernel* kernel = nullptr;
  // Complete; only what was given where the kernel fits the rest to each matrix.
  Parameters parameters;
  int threads = 1;
  VectorSet vectors{};
};

// Throws InvalidArgument for a parameter that none of the kernels has, or a value out of range,
// and where no kernel takes as many vectors.
std::vector<Job> jobs(const Order& order);

// Who orders a run hears how it goes.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual Source load(const SuiteMatrix& m) { return lab::load(m.source); }
  virtual void loaded(const SuiteMatrix&, const Source&) {}
  virtual void measuring_memory(int /*threads*/) {}
  // Before each job; cases of all matrices are counted.
  virtual void next(std::size_t /*done*/, std::size_t /*total*/, const SuiteMatrix&, const Job&) {}
  // After each job: the record has its results.
  virtual void measured(const Record&) {}
  virtual bool stop() { return false; }
};

// Measures what the record does not have yet, matrix by matrix, each loaded once. Returns false
// when the listener stopped it. Throws BadInput when a matrix is not the one that the record has
// under its name.
bool run(const Order& order, Record& record, Listener& listener);

// One clean pass for a profiler: each job is prepared, and each op multiplied once to warm up and
// once more, with nothing else in between. `tell` hears each trial.
void profile(const Order& order, Listener& listener,
             const std::function<void(const SuiteMatrix&, const Trial&)>& tell);

}  // namespace nz::lab
