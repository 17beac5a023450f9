#pragma once
#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nonzero/plan.hpp>
#include <nonzero/registry.hpp>
#include <nonzero/threads.hpp>

#include "base/no_memory.hpp"
#include "base/size_text.hpp"
#include "device/csr.hpp"
#include "plan/features.hpp"
#include "plan/fitted.hpp"
#include "plan/make_product.hpp"
#include "plan/plan_state.hpp"
#include "plan/rehearsal.hpp"
#include "plan/rounded.hpp"
#include "plan/second_copy.hpp"
#include "plan/selection.hpp"
#include "plan/timing.hpp"
#include "plan/transposed.hpp"
#include "plan/trials.hpp"
#include "plan/tuning_cache.hpp"
#include "plan/units.hpp"
#include "simt/backend.hpp"

namespace nz {

// One plan under way.
template <Value T, Offset O>
struct PlanBuilder {
  using Part = PlanPart<T>;
  typename Plan<T>::State& plan;
  const PlanOptions& options;
  Device device;
  bool may_transpose = true;
  Constraints constraints{};

  // The matrix as it is, or its transpose.
  using Matrix = Admitted<T, O>;
  Matrix transpose_{};
  Selection of_transpose_{};  // once it was looked at
  TrialVectors<T> vectors_{};

  // The smallest of what was too large.
  std::string smallest{};
  double smallest_bytes = 0;
  // What there was no memory for.
  std::string short_of{};

  Explanation& story() { return plan.story; }

  Part make(const Candidate& c, const Matrix& in) const {
    Part part{.kernel = c.kernel,
              .parameters = c.kernel->resolve(c.parameters),
              .transposed = c.transposed};
    // What memory is too short for is a candidate that cannot be had.
    part.product = or_no_memory("preparing " + c.kernel->id(), [&] {
      return make_product(*c.kernel, in.view, part.parameters, device);
    });
    if (part.product->borrows() && in.owner) {
      part.matrix = in.owner;
      part.matrix_bytes = in.bytes;
    }
    return part;
  }

  // Made at most once.
  const Matrix& transposed(const Matrix& in) {
    if (!transpose_.owner) {
      const Stopwatch watch(story().converting);
      TransposedCsr<T, O> t =
          or_no_memory("the transpose", [&] { return transposed_on(device, in.view); });
      transpose_ = {
          .view = t.view, .owner = std::move(t.owner), .bytes = t.view.bytes(), .in_place = false};
    }
    return transpose_;
  }
  Matrix input_of(const Candidate& c, const Matrix& in) {
    return c.transposed ? transposed(in) : in;
  }

  void prepare_requested(const Kernel& kernel, const Matrix& in) {
    require_stored(kernel, options.store_values_as, device);
    story().features = shape_features(in.view);
    Parameters wanted = options.parameters;
    if (options.deterministic) kernel.make_deterministic(wanted);
    Candidate c{.kernel = &kernel, .parameters = fitted(kernel, wanted, in.view, device)};
    for (const Op op : all_ops)
      if (options.deterministic && options.op.has(op) && !c.repeats(op))
        throw InvalidArgument(fmt::format("{} does not give the same bits every time for op = {}",
                                          kernel.id(), name(op)));
    const Stopwatch watch(story().converting);
    plan.main = make(c, in);
    if (!fits(plan.main, 0)) throw_too_large();
    if (options.store_transpose.value_or(false) && options.op == both_ops) {
      c.transposed = true;
      plan.second = make(c, transposed(in));
      if (!fits(plan.second, plan.main.bytes())) throw_too_large();
      c.transposed = false;
    }
    story().candidates = {c};
  }

  void choose(const Matrix& in) {
    const ThreadScope team(product_threads(device, shape_features(in.view)));
    constraints = {
        .use = options.op,
        .effort = options.effort,
        .vectors = options.vectors,
        .layout = options.layout,
        .at_once = !ComplexValue<T>,
        .memory_limit = options.memory_limit,
        .deterministic = options.deterministic,
        .store_values_as = options.store_values_as,
        .csr_is_there = in.in_place && (device == cpu_device || lies_on(device, in.view)),
        .may_transpose = may_transpose,
        .start = in.start.get()};
    std::string folder, key;
    if (options.effort == Effort::thorough) {
      folder = tuning_folder(options.cache);
      if (!folder.empty()) {
        const Stopwatch watch(story().looking);
        const DeviceInfo info = device == cpu_device ? DeviceInfo{} : simt::backend(device).info();
        key = tuning_key(fingerprint(device, in.view, many_places), value_type_of<T>, sizeof(O),
                         info, plan.threads, options);
      }
      if (recalled(folder, key, in)) return;
    }
    Selection s = looked([&] { return select(in.view, device, constraints); });
    story().features = s.features;
    std::vector<Candidate> taken;
    if (two_copies(s)) taken = take_two(s, in);
    if (taken.empty()) {
      // What the transpose only promised so far.
      if (s.usable > 0 && std::any_of(s.candidates.begin(), s.candidates.begin() + most_seen(s),
                                      [](const Candidate& c) { return c.transposed; })) {
        std::erase_if(s.candidates, [](const Candidate& c) { return c.transposed; });
        try {
          const Selection& t = look_at_transpose(in);
          s.candidates.insert(s.candidates.end(), t.candidates.begin(), t.candidates.end());
        } catch (const NoResource& e) {
          short_of = e.what();  // the matrix as it is may do
        }
        constraints.transpose_seen = true;
        s = rank(s.features, std::move(s.candidates), constraints);
      }
      plan.main = best_of(s, in, 0, constraints);
      taken = {s.candidates.front()};
      story().why = taken[0].why + (taken[0].transposed ? ", from the transpose" : "");
      story().candidates = std::move(s.candidates);
    }
    remember(folder, key, taken);
  }

  template <class Look>
  auto looked(Look&& look) {
    const Stopwatch watch(story().looking);
    return look();
  }

  // Candidates that will be prepared: the first, or those that will be timed.
  std::ptrdiff_t most_seen(const Selection& s) const {
    const std::size_t n = options.effort == Effort::thorough ? thorough_trials.most : 1;
    return static_cast<std::ptrdiff_t>(std::min(n, s.usable));
  }

  const Selection& look_at_transpose(const Matrix& in) {
    if (of_transpose_.candidates.empty()) {
      const Matrix& t = transposed(in);
      of_transpose_ = looked([&] { return select_transposed(t.view, device, constraints); });
    }
    return of_transpose_;
  }

  bool fits(const Part& part, std::size_t others) {
    if (options.memory_limit == 0 || part.bytes() + others <= options.memory_limit) return true;
    too_large(*part.kernel, static_cast<double>(part.bytes() + others));
    return false;
  }
  void too_large(const Kernel& kernel, double bytes) {
    if (!smallest.empty() && bytes >= smallest_bytes) return;
    smallest = kernel.id();
    smallest_bytes = bytes;
  }
  [[noreturn]] void throw_too_large() const {
    const std::string limit = size_text(static_cast<double>(options.memory_limit));
    if (!options.kernel.empty())
      throw NoResource(fmt::format("{} keeps {}, the memory limit is {}", options.kernel,
                                   size_text(smallest_bytes), limit));
    throw NoResource(
        fmt::format("no kernel keeps this matrix in {} on {}: the smallest, {}, takes {}", limit,
                    device.name(), smallest, size_text(smallest_bytes)));
  }
  [[noreturn]] void throw_none(const Selection& s, std::size_t others, const std::string& refusal) {
    for (std::size_t i = s.usable; i < s.candidates.size(); ++i)
      if (s.candidates[i].too_large)
        too_large(*s.candidates[i].kernel, s.candidates[i].bytes + static_cast<double>(others));
    if (!smallest.empty()) throw_too_large();
    if (!short_of.empty()) throw NoResource(short_of);
    if (!refusal.empty()) throw Refused(refusal);
    throw InvalidArgument(fmt::format(
        "no kernel on {} does what is asked: {}", device.name(),
        s.candidates.empty() ? "none takes these types" : s.candidates.front().why_not));
  }

  // What is taken moves to the front.
  static void put_first(Selection& s, std::size_t i) {
    const auto at = s.candidates.begin() + static_cast<std::ptrdiff_t>(i);
    at->why_not.clear();
    std::rotate(s.candidates.begin(), at, at + 1);
  }

  Part best_of(Selection& s, const Matrix& in, std::size_t others, const Constraints& w) {
    if (goes_by_rule(s, w)) return first_of(s, in, others);
    if (options.effort == Effort::thorough) {
      rehearsed(s, in, w);
      return fastest_of(s, in, others, w, thorough_trials);
    }
    if (worth_trials(s, w)) {
      try {
        return fastest_of(s, in, others, w,
                          rehearsed(s, in, w) ? rehearsed_trials : balanced_trials);
      } catch (const NoResource&) {  // products need vectors: without them predictions decide
        vectors_ = {};
      }
    }
    return first_of(s, in, others);
  }

  // Whether a balanced plan asks the clock: on a CPU, where CSR can be multiplied at once and what
  // it takes is the measure of all others. The same bits in every process need the same choice.
  bool worth_trials(const Selection& s, const Constraints& w) const {
    return device == cpu_device && w.effort == Effort::balanced && !w.deterministic &&
           static_cast<double>(s.features.nnz) >= fewest_for_trials && plain_of(s) < s.usable;
  }
  // Whether the candidates were rehearsed, and ranked again: where one product is asked for, which
  // those do that multiply as CSR does.
  bool rehearsed(Selection& s, const Matrix& in, const Constraints& w) {
    if (device != cpu_device || w.vectors > 1 || w.use == both_ops) return false;
    const Op op = w.use.n ? Op::none : Op::transpose;
    std::vector<Candidate*> as_it_is, of_transpose;
    for (std::size_t i = 0; i < s.usable; ++i) {
      Candidate& c = s.candidates[i];
      if (is_transposed(c.inner(op))) continue;
      (c.transposed ? of_transpose : as_it_is).push_back(&c);
    }
    const Stopwatch watch(story().timing);
    bool done = false;
    try {
      or_no_memory("a rehearsal", [&] {
        done = !as_it_is.empty() && rehearse<T, O>(in.view, s.features, as_it_is, vectors_);
        if (!of_transpose.empty() && transpose_.owner)
          done |= rehearse<T, O>(transpose_.view, of_transpose_.features, of_transpose, vectors_);
      });
    } catch (const NoResource&) {  // predictions do without
    }
    if (done) s = rank(s.features, std::move(s.candidates), w);
    return done;
  }
  static std::size_t plain_of(const Selection& s) {
    const auto plain = std::find_if(s.candidates.begin(), s.candidates.end(), is_plain);
    return static_cast<std::size_t>(plain - s.candidates.begin());
  }

  // The first of the candidates that takes the matrix and fits.
  Part first_of(Selection& s, const Matrix& in, std::size_t others) {
    std::string refusal;
    for (std::size_t i = 0; i < s.usable; ++i) {
      Candidate& c = s.candidates[i];
      try {
        const Matrix from = input_of(c, in);
        const Stopwatch watch(story().converting);
        Part part = make(c, from);
        if (fits(part, others)) {
          if (!refusal.empty()) c.why += ", because " + refusal;
          put_first(s, i);
          return part;
        }
        c.why_not = "over the memory limit";
      } catch (const Refused& e) {
        // Samples promised what the whole matrix does not keep.
        refusal = c.why_not = e.what();
      } catch (const NoResource& e) {
        short_of = refusal = c.why_not = e.what();
      }
    }
    throw_none(s, others, refusal);
  }

  // The fastest of the best few, by the clock.
  Part fastest_of(Selection& s, const Matrix& in, std::size_t others, const Constraints& w,
                  const Trials& trials) {
    std::string refusal;
    Part part, best;
    Allowance allowance(trials, s, w);
    double total = 0;
    const auto prepared_and_timed = [&](std::size_t i, const Candidate* than) {
      Candidate& c = s.candidates[i];
      try {
        part = {};  // the last one's memory is free before this one's is taken
        const Stopwatch watch(total);
        part = make(c, input_of(c, in));
        wait_for(device);
        c.measured_setup = watch.seconds();
        c.why_not = "over the memory limit";
        if (!fits(part, others)) return false;
        measure(c, part, w.use, trials, than, allowance.doubtful(i));
        c.why_not = "measured to be slower";
        return true;
      } catch (const Refused& e) {
        refusal = c.why_not = e.what();
      } catch (const NoResource& e) {
        short_of = refusal = c.why_not = e.what();
      }
      return false;
    };
    const std::size_t which = fastest(
        s, allowance,
        [&](std::size_t i, const Candidate* than) {
          const double before = total;
          const bool had = prepared_and_timed(i, than);
          return Attempt{had, total - before};
        },
        [&](std::size_t) { best = std::move(part); });
    if (which == s.usable) throw_none(s, others, refusal);
    // The best by prediction, where its setup would have taken too long by the clock.
    if (s.candidates.front().why_not.empty())
      s.candidates.front().why_not = "predicted to be slower, once plain CSR was timed";
    story().converting += s.candidates[which].measured_setup;
    story().timing += total - s.candidates[which].measured_setup;
    put_first(s, which);
    return best;
  }

  void measure(Candidate& c, const Part& part, Use use, const Trials& trials, const Candidate* best,
               double doubtful) {
    double sum = 0;
    for (const Op op : all_ops) {
      if (!use.has(op)) continue;
      const bool n = !is_transposed(op);
      const index_t from = n ? plan.cols : plan.rows, to = n ? plan.rows : plan.cols;
      sum += or_no_memory("timing a multiply", [&] {
        if (trials.products == 0)
          return time_multiply(*part.product, c.inner(op), from, to, options.vectors,
                               options.layout, trials.seconds);
        const auto k = static_cast<std::size_t>(options.vectors);
        return time_few<T>(*part.product, c.inner(op), options.vectors, options.layout,
                           vectors_.x.first(k * static_cast<std::size_t>(from)),
                           vectors_.y.first(k * static_cast<std::size_t>(to)),
                           {.products = trials.products,
                            .enough = best ? trials.lost * best->measured_seconds : 0,
                            .doubtful = doubtful});
      });
    }
    c.measured_seconds = use == both_ops ? sum / 2 : sum;
  }

  // Whether N and T have a copy each: allowed, or no larger together than CSR; predicted to be
  // faster, and not too large.
  bool two_copies(const Selection& one) const {
    if (options.op != both_ops || one.features.nnz == 0) return false;
    const bool asked = options.store_transpose.value_or(false);
    if (!asked && (options.effort == Effort::instant || goes_by_rule(one, constraints)))
      return false;
    Constraints w = constraints;
    w.use = Op::none;
    const Selection n = rank(one.features, one.candidates, w);
    w.use = Op::transpose;
    if (asked) w.effort = Effort::thorough;  // and so, to make it
    const Selection t =
        rank(one.features, transposed_candidates(one.features.transposed(), device, w), w);
    if (n.usable == 0 || t.usable == 0) return false;
    const Candidate &a = n.candidates.front(), &b = t.candidates.front();
    if (options.memory_limit > 0 && a.bytes + b.bytes > static_cast<double>(options.memory_limit))
      return false;
    const double csr = one.features.csr_bytes();
    const auto whole = [&](const Candidate& c) {
      return c.kernel->format == "csr" ? csr : c.bytes;
    };
    const double both = whole(a) + whole(b);
    if (both > csr && !second_copy_allowed(options, device, both)) return false;
    return one.usable == 0 ||
           (a.n_seconds + b.t_seconds) / 2 < seconds_for(one.candidates.front(), both_ops);
  }

  // Nothing where one of the two cannot be had: one copy may do.
  std::vector<Candidate> take_two(const Selection& s, const Matrix& in) {
    Part main, second;
    Selection n, t;
    try {
      Constraints w = constraints;
      w.use = Op::none;
      n = rank(s.features, s.candidates, w);
      main = best_of(n, in, 0, w);
      w.use = Op::transpose;
      w.transpose_seen = true;
      if (w.memory_limit > 0) w.memory_limit -= std::min(w.memory_limit - 1, main.bytes());
      t = rank(s.features, look_at_transpose(in).candidates, w);
      second = best_of(t, in, main.bytes(), w);
    } catch (const NoResource&) {
      return {};
    } catch (const Refused&) {
      return {};
    }
    plan.main = std::move(main);
    plan.second = std::move(second);
    std::vector<Candidate> taken{n.candidates.front(), t.candidates.front()};
    story().why =
        fmt::format("N: {}; T, from a transpose of its own: {}", taken[0].why, taken[1].why);
    story().candidates = taken;
    for (const Selection* rest : {&n, &t})
      story().candidates.insert(story().candidates.end(), rest->candidates.begin() + 1,
                                rest->candidates.end());
    return taken;
  }

  // Whether this plan could have chosen that; a file may say anything.
  bool possible(const std::vector<Candidate>& taken) const {
    const bool two = taken.size() == 2;
    if (two ? options.op != both_ops || taken[0].transposed || !taken[1].transposed
            : taken.size() != 1)
      return false;
    return std::all_of(taken.begin(), taken.end(), [&](const Candidate& c) {
      const Kernel& k = *c.kernel;
      if (k.family != (device == cpu_device ? "cpu" : "gpu") || !k.runs_on_device(device.kind) ||
          !k.template prepare_for<T, O>(device.kind) || !stores(k, options.store_values_as) ||
          (k.declines && !k.declines(k.resolve(c.parameters)).empty()))
        return false;
      const Use use = !two ? options.op : c.transposed ? Use(Op::transpose) : Use(Op::none);
      return std::ranges::all_of(all_ops, [&](Op op) {
        return !use.has(op) ||
               (k.supports(c.inner(op)) && (!options.deterministic || c.repeats(op)));
      });
    });
  }

  // Whether an earlier plan has found what to take, and it still can be.
  bool recalled(const std::string& folder, const std::string& key, const Matrix& in) {
    std::vector<Candidate> taken = looked([&] { return recall(folder, key); });
    if (!possible(taken)) return false;
    // Then there was memory for two.
    if (taken.size() == 2 && !options.store_transpose && options.memory_limit == 0 &&
        !second_copy_allowed(options, device, 2 * shape_features(in.view).csr_bytes()))
      return false;
    try {
      Part parts[2];
      for (std::size_t i = 0; i < taken.size(); ++i) {
        const Matrix from = input_of(taken[i], in);
        const Stopwatch watch(story().converting);
        parts[i] = make(taken[i], from);
        taken[i].why = "the fastest when it was timed";
        if (!fits(parts[i], parts[0].bytes() * i)) return false;
      }
      plan.main = std::move(parts[0]);
      plan.second = std::move(parts[1]);
    } catch (const DeviceFault&) {
      throw;
    } catch (const Error&) {  // what was kept is not worth more than what can be chosen now
      return false;
    }
    story().features = shape_features(in.view);
    story().from_cache = true;
    story().why = taken[0].why;
    story().candidates = std::move(taken);
    return true;
  }
};

}  // namespace nz
