#pragma once
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nonzero/plan.hpp>

#include "base/no_memory.hpp"
#include "plan/features.hpp"
#include "plan/make_product.hpp"
#include "plan/plan_state.hpp"
#include "plan/rehearsal.hpp"
#include "plan/rivals.hpp"
#include "plan/selection.hpp"
#include "plan/shortage.hpp"
#include "plan/timing.hpp"
#include "plan/transposed.hpp"
#include "plan/trials.hpp"
#include "plan/turns.hpp"
#include "simt/backend.hpp"

namespace nz {

// Makes products of candidates, and of a selection the one that a plan takes: by prediction, or by
// the clock.
template <Value T, Offset O>
struct PartPicker {
  using Part = PlanPart<T>;
  // The matrix as it is, or its transpose.
  using Matrix = Admitted<T, O>;
  typename Plan<T>::State& plan;
  const PlanOptions& options;
  Device device;

  Matrix transpose_{};
  Selection of_transpose_{};  // once it was looked at
  TrialVectors<T> vectors_{};
  Shortage shortage{};

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

  bool fits(const Part& part, std::size_t others) {
    if (options.memory_limit == 0 || part.bytes() + others <= options.memory_limit) return true;
    shortage.too_large(*part.kernel, static_cast<double>(part.bytes() + others));
    return false;
  }
  [[noreturn]] void throw_too_large() const {
    shortage.throw_too_large(options.memory_limit, options.kernel, device);
  }
  [[noreturn]] void throw_none(const Selection& s, std::size_t others, const std::string& refusal) {
    for (std::size_t i = s.usable; i < s.candidates.size(); ++i)
      if (s.candidates[i].too_large)
        shortage.too_large(*s.candidates[i].kernel,
                           s.candidates[i].bytes + static_cast<double>(others));
    if (!shortage.smallest.empty()) throw_too_large();
    if (!shortage.short_of.empty()) throw NoResource(shortage.short_of);
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
    if (takes_turns(device)) {
      const auto all = rivals(s, w, static_cast<double>(simt::backend(device).info().memory_bytes),
                              ComplexValue<T>);
      if (all.size() > 1) return fastest_rival(s, all, in, others, w);
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
  // those do that multiply as CSR does. Several vectors are predicted from one.
  bool rehearsed(Selection& s, const Matrix& in, const Constraints& w) {
    if (device != cpu_device || w.use == both_ops) return false;
    const Op op = w.use.n ? Op::none : Op::transpose;
    std::vector<Candidate*> as_it_is, of_transpose;
    for (std::size_t i = 0; i < s.usable; ++i) {
      Candidate& c = s.candidates[i];
      if (is_transposed(c.inner(op))) continue;
      (c.transposed ? of_transpose : as_it_is).push_back(&c);
    }
    const auto rehearse_all = [&](const auto& view, const Features& f,
                                  std::vector<Candidate*>& all) {
      if (w.vectors > 1) expect_one(all, f);
      const bool done = !all.empty() && rehearse<T, O>(view, f, all, vectors_);
      if (w.vectors > 1)
        for (Candidate* const c : all) expect_several(*c, f, device, w);
      return done;
    };
    const Stopwatch watch(story().timing);
    const std::vector<Candidate> predicted = s.candidates;
    bool done = false;
    try {
      or_no_memory("a rehearsal", [&] {
        done = rehearse_all(in.view, s.features, as_it_is);
        if (transpose_.owner)
          done |= rehearse_all(transpose_.view, of_transpose_.features, of_transpose);
      });
    } catch (const NoResource&) {  // predictions do without
      s.candidates = predicted;
      return false;
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
        shortage.short_of = refusal = c.why_not = e.what();
      }
    }
    throw_none(s, others, refusal);
  }

  // The fastest of some, which take turns. Where one of them cannot be had, or there is no memory
  // for the vectors, predictions decide.
  Part fastest_rival(Selection& s, const std::vector<std::size_t>& all, const Matrix& in,
                     std::size_t others, const Constraints& w) {
    std::vector<Part> parts;
    double total = 0;
    bool done = false;
    {
      const Stopwatch watch(total);
      try {
        for (const std::size_t i : all) {
          Candidate& c = s.candidates[i];
          const Stopwatch its(c.measured_setup);
          parts.push_back(make(c, input_of(c, in)));
          if (!fits(parts.back(), others)) throw NoResource("over the memory limit");
        }
        measure_rivals(s, all, parts, w);
        done = true;
      } catch (const Refused&) {
      } catch (const NoResource&) {
      }
    }
    if (!done) {
      parts.clear();
      for (const std::size_t i : all)
        s.candidates[i].measured_seconds = s.candidates[i].measured_setup = 0;
      story().timing += total;
      return first_of(s, in, others);
    }
    std::size_t best = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      s.candidates[all[i]].why_not = "measured to be slower";
      if (better(s.candidates[all[i]], s.candidates[all[best]], w)) best = i;
    }
    const double setup = s.candidates[all[best]].measured_setup;
    story().converting += setup;
    story().timing += total - setup;
    put_first(s, all[best]);
    return std::move(parts[best]);
  }

  void measure_rivals(Selection& s, const std::vector<std::size_t>& all,
                      const std::vector<Part>& parts, const Constraints& w) {
    const Use use = w.use;
    for (const Op op : all_ops) {
      if (!use.has(op)) continue;
      std::vector<Rival<T>> turns;
      for (std::size_t i = 0; i < all.size(); ++i)
        turns.push_back({parts[i].product.get(), s.candidates[all[i]].inner(op)});
      const bool n = !is_transposed(op);
      const std::vector<double> seconds = or_no_memory("timing products", [&] {
        return time_in_turns<T>(turns, n ? plan.cols : plan.rows, n ? plan.rows : plan.cols,
                                w.vectors, w.layout);
      });
      for (std::size_t i = 0; i < all.size(); ++i)
        s.candidates[all[i]].measured_seconds += use == both_ops ? seconds[i] / 2 : seconds[i];
    }
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
        shortage.short_of = refusal = c.why_not = e.what();
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
};

}  // namespace nz
