#pragma once
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nonzero/plan.hpp>
#include <nonzero/threads.hpp>

#include "device/csr.hpp"
#include "plan/features.hpp"
#include "plan/fitted.hpp"
#include "plan/part_picker.hpp"
#include "plan/rounded.hpp"
#include "plan/second_copy.hpp"
#include "plan/selection.hpp"
#include "plan/timing.hpp"
#include "plan/tuning_cache.hpp"
#include "simt/backend.hpp"

namespace nz {

// One plan under way.
template <Value T, Offset O>
struct PlanBuilder : PartPicker<T, O> {
  using Picker = PartPicker<T, O>;
  using Picker::best_of, Picker::device, Picker::fits, Picker::input_of, Picker::make,
      Picker::of_transpose_, Picker::options, Picker::plan, Picker::shortage, Picker::story,
      Picker::throw_too_large, Picker::transposed;
  using typename Picker::Matrix, typename Picker::Part;
  bool may_transpose = true;
  Constraints constraints{};

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
          shortage.short_of = e.what();  // the matrix as it is may do
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
