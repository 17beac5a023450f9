#include "soak/trial.hpp"

#include <exception>
#include <mutex>
#include <numeric>
#include <optional>
#include <thread>

#include <nonzero/error.hpp>
#include <nonzero/threads.hpp>

#include "soak/vectors.hpp"

namespace nz::trials {
namespace {

// The same matrix with the entries of each row in any order, and some of them in two parts.
template <class T, class O>
Csr<T, O> disordered(const Csr<T, O>& a, Draw random) {
  Csr<T, O> b{.rows = a.rows, .cols = a.cols, .offsets = Array<O>(a.offsets.size())};
  std::vector<index_t> columns;
  std::vector<T> values;
  b.offsets[0] = 0;
  for (std::size_t i = 0; i + 1 < a.offsets.size(); ++i) {
    const std::size_t first = columns.size();
    for (O k = a.offsets[i]; k < a.offsets[i + 1]; ++k) {
      const bool split = random.one_in(8);
      columns.push_back(a.columns[k]);
      values.push_back(split ? a.values[k] * T(0.75) : a.values[k]);
      if (split) columns.push_back(a.columns[k]), values.push_back(a.values[k] * T(0.25));
    }
    for (std::size_t k = columns.size(); k > first + 1; --k) {
      const auto other = first + random.below(k - first);
      std::swap(columns[k - 1], columns[other]);
      std::swap(values[k - 1], values[other]);
    }
    b.offsets[i + 1] = static_cast<O>(columns.size());
  }
  b.columns = Array<index_t>(std::span<const index_t>(columns));
  b.values = Array<T>(std::span<const T>(values));
  return b;
}

template <class T, class O>
bool same_structure(const Csr<T, O>& a, const Csr<T, O>& b) {
  const auto summed = [](const Csr<T, O>& m) {
    return csr_from_arrays<T, O>(m.rows, m.cols, m.offsets, m.columns, m.values);
  };
  const auto first = summed(a), second = summed(b);
  return a.rows == b.rows && a.cols == b.cols && first.offsets == second.offsets &&
         first.columns == second.columns;
}

template <class T, class O>
class Trial {
 public:
  explicit Trial(const Case& c) : case_(c), a_(csr_cast<T, O>(c.drawn.matrix.view())) {
    if (c.values != Scale::ordinary) set_values(a_, c.seed);
    if (c.disordered) a_ = disordered(a_, Draw(c.seed + 1));
  }

  Tally run() {
    ++tally_.cases;
    if (!make_plan()) return tally_;
    multiply_all();
    update();
    return tally_;
  }

 private:
  void set_values(Csr<T, O>& a, std::uint64_t seed) const {
    a.values = Array<T>(std::span<const T>(numbers<T>(Draw(seed), a.values.size(), case_.values)));
  }

  // The arrays as the plan will get them; those on a device are copies that stay as they are.
  CsrView<T, O> placed(const Csr<T, O>& a) {
    if (case_.arrays != Arrays::on_device) return a.view();
    const Device device = *case_.options.device;
    there_.push_back({{device, std::span<const O>(a.offsets)},
                      {device, std::span<const index_t>(a.columns)},
                      {device, std::span<const T>(a.values)}});
    const auto& t = there_.back();
    return {a.rows, a.cols, a.nnz(), t.offsets.data(), t.columns.data(), t.values.data()};
  }

  // False where the plan may be, and was, declined.
  bool make_plan() {
    const PlanOptions& o = case_.options;
    const bool told = !o.kernel.empty();
    try {
      plan_ = case_.arrays == Arrays::moved ? nz::plan(Csr<T, O>(a_), o) : nz::plan(placed(a_), o);
      ++tally_.plans;
      if (o.memory_limit > 0 && plan_->bytes() > o.memory_limit)
        throw Found("memory limit", fmt::format("{} bytes kept", plan_->bytes()));
      return true;
    } catch (const Refused&) {
      if (!told) throw;
    } catch (const NoResource&) {
      if (o.memory_limit == 0) throw;
    } catch (const InvalidArgument&) {
      // A named kernel that cannot promise the same bits.
      if (!told || !o.deterministic) throw;
    }
    ++tally_.refused;
    return false;
  }

  void multiply_all() {
    if (case_.sharing < 2) {
      for (const Multiply& m : case_.multiplies) multiply(m, 0, tally_);
      return;
    }
    std::vector<std::thread> all;
    std::exception_ptr failure;
    std::mutex guard;
    for (int t = 0; t < case_.sharing; ++t)
      all.emplace_back([&, t] {
        Tally mine;
        try {
          for (const Multiply& m : case_.multiplies) multiply(m, t, mine);
        } catch (...) {
          const std::lock_guard lock(guard);
          if (!failure) failure = std::current_exception();
        }
        const std::lock_guard lock(guard);
        tally_ += mine;
      });
    for (std::thread& t : all) t.join();
    if (failure) std::rethrow_exception(failure);
  }

  // One product, judged; `which` of those that are made at once.
  void multiply(const Multiply& m, int which, Tally& tally) const {
    const Taken taken = taken_for(*plan_, case_.options, m.op);
    const auto rows = static_cast<std::size_t>(a_.rows), cols = static_cast<std::size_t>(a_.cols);
    const bool none = m.op == Op::none;
    const Draw random(m.seed + static_cast<std::uint64_t>(which));
    const std::vector<T> x = numbers<T>(random, none ? cols : rows, m.x);
    std::vector<T> before = numbers<T>(Draw(m.seed ^ 0x5bd1e995), none ? rows : cols, m.y);
    const T alpha = static_cast<T>(m.alpha), beta = static_cast<T>(m.beta);
    if (beta == T(0)) std::fill(before.begin(), before.end(), std::numeric_limits<T>::quiet_NaN());
    Guarded<T> y(before);
    std::vector<T> x_after = x;
    try {
      product(m, alpha, x_after, beta, y);
    } catch (const InvalidArgument&) {
      const bool unpromised = case_.options.deterministic && !case_.options.op.has(m.op);
      if (taken.supports(m.op) && !unpromised) throw;
      ++tally.refused;
      return;
    }
    if (!taken.supports(m.op)) throw Found("not refused", "a transposed product that is not there");
    if (!y.intact()) throw Found("wrote outside", "the guard zones of y have changed");
    if (!same_bits<T>(x, x_after)) throw Found("wrote outside", "x has changed");
    tally.unjudged += judge<T, O>(taken, a_.view(), m.op, alpha, x, beta, before, y.span());
    tally.rows += static_cast<std::int64_t>(before.size());
    ++tally.products;
    if (!taken.repeats(m.op)) {
      if (case_.options.deterministic && case_.options.op.has(m.op) && a_.nnz() > 0)
        throw Found("not deterministic", taken.kernel->id() + " was taken");
      return;
    }
    Guarded<T> again(before);
    product(m, alpha, x_after, beta, again);
    if (!same_bits<T>(y.span(), again.span())) throw Found("not deterministic", "the bits differ");
  }

  void product(const Multiply& m, T alpha, std::vector<T>& x, T beta, Guarded<T>& y) const {
    if (!m.device_spans) {
      plan_->multiply(alpha, x, beta, y.span(), m.op);
      return;
    }
    const Device device = plan_->device();
    const Stream stream(device);
    DeviceArray<T> in(device, std::span<const T>(x)), out(device, std::span<const T>(y.all()));
    plan_->multiply(alpha, in.span(), beta, y.inside(out.span()), m.op, stream);
    stream.wait();
    in.download(x);
    out.download(y.all());
  }

  void update() {
    if (case_.update == Update::none) return;
    if (case_.update == Update::structure) return change_structure();
    ++tally_.updates;
    Csr<T, O> fresh = a_;
    set_values(fresh, case_.seed + 7);
    const bool in_place = case_.update == Update::in_place && case_.arrays == Arrays::borrowed;
    try {
      if (in_place) {
        std::copy(fresh.values.begin(), fresh.values.end(), a_.values.begin());
        plan_->update_values(a_.view());
      } else if (case_.update == Update::owned) {
        plan_->update_values(Csr<T, O>(fresh));
        a_ = std::move(fresh);
      } else {
        std::swap(a_, fresh);
        kept_.push_back(std::move(fresh));  // what the plan may still borrow
        plan_->update_values(placed(a_));
      }
    } catch (const Refused&) {
      // The plan is as it was, but for arrays of ours that it reads in place.
      ++tally_.refused;
      if (in_place) return;
      if (case_.update != Update::owned) std::swap(a_, kept_.back());
    }
    multiply_all();
  }

  // Another structure is refused, whatever differs, and the plan goes on with the old one.
  void change_structure() {
    const auto nnz = static_cast<std::size_t>(a_.nnz());
    constexpr std::int64_t compared_as_a_whole = 16'384;
    if (a_.rows > compared_as_a_whole || a_.nnz() > compared_as_a_whole) return;
    Csr<T, O> other = a_;
    Draw random(case_.seed + 11);
    switch (nnz == 0 ? 0 : random.below(4)) {
      case 0:
        ++other.cols;
        break;
      case 1: {  // one entry more
        other.columns = Array<index_t>(nnz + 1, a_.columns[nnz - 1]);
        other.values = Array<T>(nnz + 1, T(1));
        std::copy(a_.columns.begin(), a_.columns.end(), other.columns.begin());
        if (a_.columns[nnz - 1] + 1 < a_.cols)
          ++other.columns[nnz];
        else
          ++other.cols, ++other.columns[nnz];
        std::size_t last = 0;
        for (std::size_t r = 0; r + 1 < a_.offsets.size(); ++r)
          if (a_.offsets[r] < a_.offsets[r + 1]) last = r;
        for (std::size_t r = last + 1; r < a_.offsets.size(); ++r) ++other.offsets[r];
        break;
      }
      case 2: {  // an entry in another row
        bool moved = false;
        for (std::size_t r = 1; r + 1 < a_.offsets.size() && !moved; ++r)
          if (a_.offsets[r - 1] < a_.offsets[r]) --other.offsets[r], moved = true;
        // The row after it may now have a column twice, or out of order: legal, and another one.
        if (!moved) ++other.cols;
        break;
      }
      default: {  // an entry in another column
        const auto k = random.below(nnz);
        if (a_.cols == 1)
          ++other.cols;
        else
          other.columns[k] = a_.columns[k] + 1 < a_.cols ? a_.columns[k] + 1 : a_.columns[k] - 1;
      }
    }
    ++tally_.updates;
    bool refused = false;
    try {
      if (case_.arrays == Arrays::moved)
        plan_->update_values(Csr<T, O>(other));
      else
        plan_->update_values(placed(other));
    } catch (const InvalidArgument&) {
      refused = true;
    }
    // A part of an entry that became part of its neighbour: the same structure, once summed.
    if (!refused && !same_structure(a_, other))
      throw Found("not refused", "update_values() took another structure");
    if (refused)
      ++tally_.refused;
    else
      std::swap(a_, other), kept_.push_back(std::move(other));
    multiply_all();
  }

  struct There {
    DeviceArray<O> offsets;
    DeviceArray<index_t> columns;
    DeviceArray<T> values;
  };

  const Case& case_;
  Csr<T, O> a_;
  std::vector<There> there_;
  std::vector<Csr<T, O>> kept_;
  std::optional<Plan<T>> plan_;
  Tally tally_;
};

}  // namespace

Tally& Tally::operator+=(const Tally& other) {
  cases += other.cases;
  plans += other.plans;
  products += other.products;
  rows += other.rows;
  unjudged += other.unjudged;
  refused += other.refused;
  updates += other.updates;
  solves += other.solves;
  unsolved += other.unsolved;
  return *this;
}

Tally run(const Case& c) {
  if (c.type == ValueType::f32)
    return c.wide_offsets ? Trial<float, std::int64_t>(c).run()
                          : Trial<float, std::int32_t>(c).run();
  return c.wide_offsets ? Trial<double, std::int64_t>(c).run()
                        : Trial<double, std::int32_t>(c).run();
}

}  // namespace nz::trials
