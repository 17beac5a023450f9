#include <atomic>
#include <memory>
#include <vector>

#include <nonzero/formats/csb.hpp>

#include "base/parallel.hpp"
#include "formats/narrow_values.hpp"
#include "kernels/cpu/cpu_product.hpp"
#include "kernels/cpu/entry_split.hpp"
#include "kernels/cpu/scratch_pool.hpp"
#include "kernels/cpu/vector/several_columns.hpp"
#include "kernels/cpu/vector/several_rows.hpp"
#include "kernels/cpu/vector/value_readers.hpp"
#include "kernels/cpu_several_rules.hpp"

#include "kernels/cpu/vector/isa_begin.hpp"

namespace {

// CSB with blocks so small that the pieces of x and y they touch stay in the second-level cache:
// what CSR fetches from far away entry by entry, this fetches once a block. Rows and columns are
// treated alike, so the transposed product costs the same and stores nothing more.
//
// A task is a stretch of blocks along one line of the grid (for A; along one column of it for the
// transpose) of limited size, so that a heavy line is shared. The only task of a line adds to y
// itself; several have a buffer each, which are then added up in order. Which thread takes a task
// does not matter to the result.
struct Task {
  index_t line = 0;
  index_t begin = 0, end = 0;  // blocks
  std::int64_t buffer = -1;    // -1: alone on its line
};
struct Shared {
  index_t line = 0;
  std::int64_t first = 0, count = 0;  // buffers
};

struct Schedule {
  std::vector<Task> tasks;
  std::vector<Shared> shared;
  std::int64_t buffers = 0;
};

// entries(line, block) of `lines` lines of `blocks` blocks; a task ends when it has `limit`.
template <class Entries>
Schedule make_schedule(index_t lines, index_t blocks, std::int64_t limit, Entries&& entries) {
  Schedule s;
  for (index_t i = 0; i < lines; ++i) {
    const std::size_t first = s.tasks.size();
    Task task{.line = i};
    std::int64_t held = 0;
    for (index_t j = 0; j < blocks; ++j) {
      const std::int64_t n = entries(i, j);
      if (held > 0 && held + n > limit) {
        task.end = j;
        s.tasks.push_back(task);
        task.begin = j;
        held = 0;
      }
      held += n;
    }
    task.end = blocks;
    s.tasks.push_back(task);
    const auto count = static_cast<std::int64_t>(s.tasks.size() - first);
    if (count == 1) continue;
    s.shared.push_back({i, s.buffers, count});
    for (std::size_t t = first; t < s.tasks.size(); ++t) s.tasks[t].buffer = s.buffers++;
  }
  return s;
}

template <Value T, Offset O>
class CsbBalanced final : public cpu::SeveralProduct<T> {
 public:
  CsbBalanced(const CsrView<T, O>& a, const Parameters& p)
      : stored_(csb_from_csr(a, static_cast<int>(p.at("block_bits")),
                             static_cast<double>(p.at("max_ratio")))),
        a_(stored_.view()),
        team_(cpu::team_size(threads(), a.rows + static_cast<std::int64_t>(a.nnz), p.at("grain"))) {
    values_ = narrow_values(stored_.values.data(), static_cast<std::int64_t>(a_.nnz));
    if (values_.code != ValueCode::full) {
      stored_.values = {};
      a_ = stored_.view();
    }
    const std::int64_t limit =
        static_cast<std::int64_t>(a_.nnz) / (team_ * p.at("tasks_per_thread")) + 1;
    const auto entries = [this](index_t i, index_t j) {
      const O* at = a_.block_offset(i, j);
      return static_cast<std::int64_t>(at[1] - at[0]);
    };
    rows_ = make_schedule(a_.grid_rows(), a_.grid_cols(), limit, entries);
    columns_ = make_schedule(a_.grid_cols(), a_.grid_rows(), limit,
                             [&](index_t j, index_t i) { return entries(i, j); });
    pool_ = std::make_unique<cpu::ScratchPool<T>>(
        static_cast<std::size_t>(std::max(rows_.buffers, columns_.buffers)) *
        static_cast<std::size_t>(a_.block()));
  }

  void multiply(Op op, T alpha, std::span<const T> x, T beta, std::span<T> y) const override {
    if (cpu::take_rare_alpha<T>(*this, op, alpha, x, beta, y)) return;
    with_entries([&](const auto& values) {
      if (op == Op::none)
        run<Op::none>(rows_, values, alpha, x.data(), beta, y);
      else
        run<Op::transpose>(columns_, values, alpha, x.data(), beta, y);
    });
  }

  std::size_t bytes() const override {
    return matrix_bytes() + pool_->bytes() +
           (rows_.tasks.size() + columns_.tasks.size()) * sizeof(Task) +
           (rows_.shared.size() + columns_.shared.size()) * sizeof(Shared);
  }
  bool borrows() const override { return false; }
  std::size_t traffic(Op op, bool reads_y) const override {
    return cpu::traffic_of(a_, matrix_bytes(), op, reads_y);
  }

 private:
  std::size_t matrix_bytes() const {
    const auto nnz = static_cast<std::size_t>(a_.nnz);
    return a_.bytes() - (values_.code == ValueCode::full ? 0 : nnz * sizeof(T)) + values_.bytes();
  }

  template <class Use>
  void with_entries(Use&& use) const {
    const bool coded = values_.code != ValueCode::full;
    const auto* bytes =
        coded ? values_.values.data() : reinterpret_cast<const std::byte*>(a_.values);
    with_values<T>(values_.code, bytes, values_.table.data(), values_.different, use);
  }

  // The piece of y of a line.
  std::span<T> piece(std::span<T> y, index_t line) const {
    const auto begin = static_cast<std::size_t>(line) << a_.block_bits;
    return y.subspan(begin, std::min(y.size() - begin, static_cast<std::size_t>(a_.block())));
  }

  // What a task's blocks add to `to`, the piece of y (or the buffer) of its line. Everything the
  // loop needs is copied first: it could not stay in registers across the stores to y otherwise.
  template <Op op, class Values>
  NZ_INLINE void add(const Task& task, const Values& from, T alpha, const T* x, T* to) const {
    const Values values = from;
    const std::uint32_t* places = a_.places;
    for (index_t b = task.begin; b < task.end; ++b) {
      const O* at = op == Op::none ? a_.block_offset(task.line, b) : a_.block_offset(b, task.line);
      const T* near = x + (static_cast<std::ptrdiff_t>(b) << a_.block_bits);
      for (O k = at[0], end = at[1]; k < end; ++k) {
        const std::uint32_t row = csb_row(places[k]), column = csb_column(places[k]);
        if constexpr (op == Op::none)
          to[row] += alpha * (values.at(k) * near[column]);
        else
          to[column] += alpha * (values.at(k) * near[row]);
      }
    }
  }

  template <Op op, class Values>
  void run(const Schedule& s, const Values& values, T alpha, const T* x, T beta,
           std::span<T> y) const {
    auto lease = pool_->borrow();
    T* const buffers = lease.data();
    const auto buffer = [&](std::int64_t n) { return buffers + (n << a_.block_bits); };
    std::atomic<std::size_t> next{0};
    parallel(team_, [&](int, int) {
      for (std::size_t t; (t = next.fetch_add(1)) < s.tasks.size();) {
        const Task& task = s.tasks[t];
        const std::span<T> mine = piece(y, task.line);
        T* to = mine.data();
        if (task.buffer < 0)
          cpu::scale(beta, mine);
        else
          std::fill_n(to = buffer(task.buffer), mine.size(), T(0));
        add<op>(task, values, alpha, x, to);
      }
    });
    if (s.shared.empty()) return;
    next = 0;
    parallel(team_, [&](int, int) {
      for (std::size_t t; (t = next.fetch_add(1)) < s.shared.size();) {
        const Shared& line = s.shared[t];
        const std::span<T> to = piece(y, line.line);
        cpu::scale(beta, to);
        for (std::int64_t n = line.first; n < line.first + line.count; ++n) {
          const T* from = buffer(n);
          for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
        }
      }
    });
  }

  cpu::SeveralShape several_shape() const override {
    cpu::SeveralShape shape = several_shape_of<T>(a_.nnz, team_);
    shape.reads_rows = true;
    shape.alone_by_columns = cpu::few_columns;
    return shape;
  }

  // As many columns at a time as leave the sums of a line in a near cache.
  void several(Op op, const cpu::Several<T>& s) const override {
    const auto side = static_cast<std::int64_t>(a_.block() * sizeof(T));
    const auto vectors = std::max<std::int64_t>(1, near_bytes / (side * Lanes<T>::width));
    const auto most =
        static_cast<index_t>(std::min<std::int64_t>(s.columns, vectors * Lanes<T>::width));
    for (index_t first = 0; first < s.columns; first += most) {
      const auto some = s.some_columns(first, std::min(most, s.columns - first));
      if (op == Op::none)
        run_several<Op::none>(rows_, some);
      else
        run_several<Op::transpose>(columns_, some);
    }
  }

  // The same tasks; all of them add to buffers, whose rows lie side by side.
  template <Op op>
  void run_several(const Schedule& schedule, const cpu::Several<T>& s) const {
    const std::int64_t leading = cpu::padded_columns(s.columns, Lanes<T>::width);
    const std::int64_t size = a_.block() * leading;
    Array<T> buffers(static_cast<std::size_t>((schedule.buffers + team_) * size));
    const auto buffer = [&](std::int64_t n) { return buffers.data() + n * size; };
    const auto begin = [&](index_t line) { return line << a_.block_bits; };
    const auto end = [&](index_t line) {
      return std::min(s.y.rows() - begin(line), a_.block()) + begin(line);
    };
    std::atomic<std::size_t> next{0};
    parallel(team_, [&](int thread, int) {
      for (std::size_t t; (t = next.fetch_add(1)) < schedule.tasks.size();) {
        const Task& task = schedule.tasks[t];
        const bool alone = task.buffer < 0;
        T* const sums = buffer(alone ? schedule.buffers + thread : task.buffer);
        std::fill_n(sums, (end(task.line) - begin(task.line)) * leading, T(0));
        add_several<op>(task, s, sums, leading);
        if (alone) cpu::put_rows(s, begin(task.line), end(task.line), sums, leading);
      }
    });
    next = 0;
    if (schedule.shared.empty()) return;
    parallel(team_, [&](int, int) {
      for (std::size_t t; (t = next.fetch_add(1)) < schedule.shared.size();) {
        const Shared& line = schedule.shared[t];
        T* const sums = buffer(line.first);
        for (std::int64_t n = line.first + 1; n < line.first + line.count; ++n)
          for (std::int64_t i = 0; i < (end(line.line) - begin(line.line)) * leading; ++i)
            sums[i] += buffer(n)[i];
        cpu::put_rows(s, begin(line.line), end(line.line), sums, leading);
      }
    });
  }

  // add() for several columns: entries are read some at a time, which all columns then pass over.
  template <Op op>
  void add_several(const Task& task, const cpu::Several<T>& s, T* sums,
                   std::int64_t leading) const {
    constexpr O together = 128;
    with_entries([&](const auto& values) {
      for (index_t b = task.begin; b < task.end; ++b) {
        const O* at =
            op == Op::none ? a_.block_offset(task.line, b) : a_.block_offset(b, task.line);
        const T* near = s.x + (static_cast<std::ptrdiff_t>(b) << a_.block_bits) * s.x_leading;
        for (O k = at[0], end = at[1]; k < end; k += together) {
          T some[together];
          const O count = std::min<O>(end - k, together);
          for (O e = 0; e < count; ++e) some[e] = values.at(k + e);
          add_places<op>(a_.places + k, some, static_cast<int>(count), s, near, sums, leading);
        }
      }
    });
  }
  template <Op op>
  static NZ_INLINE void add_places(const std::uint32_t* places, const T* values, int count,
                                   const cpu::Several<T>& s, const T* x, T* sums,
                                   std::int64_t leading) {
    const std::int64_t x_leading = s.x_leading;
    for_packs(s, [&]<int n>(Count<n>, index_t first) NZ_INLINE_LAMBDA {
      using P = Pack<T, n>;
      for (int k = 0; k < count; ++k) {
        const std::uint32_t row = csb_row(places[k]), column = csb_column(places[k]);
        const T* const from = x + first + (op == Op::none ? column : row) * x_leading;
        T* const to = sums + first + (op == Op::none ? row : column) * leading;
        P::store(to, P::load(to) + values[k] * P::load(from));
      }
    });
  }

  // Bytes of sums that stay in a core's own cache, beside what they are made of.
  static constexpr std::int64_t near_bytes = 1 << 19;

  Csb<T, O> stored_;
  CsbView<T, O> a_;
  CodedValues<T> values_;
  int team_;
  Schedule rows_, columns_;
  std::unique_ptr<cpu::ScratchPool<T>> pool_;
};

template <Value T, Offset O>
std::unique_ptr<Product<T>> prepare(const CsrView<T, O>& a, const Parameters& p) {
  return std::make_unique<CsbBalanced<T, O>>(a, p);
}

}  // namespace

Kernel cpu_csb_balanced() {
  return {
      .family = "cpu",
      .format = "csb",
      .strategy = "balanced",
      .transposes = true,
      .several = true,
      .determinism = Determinism::always,
      .threaded = true,
      .source = "own",
      .summary = "tasks of equal size in cache-sized blocks, N and T alike",
      .parameters = {{"block_bits", "log2 of a block's side, 0: by the matrix's size", 0, 0,
                      csb_max_block_bits},
                     {"max_ratio", "most blocks a nonzero, row and column", 3, 1, 1'000'000'000},
                     {"tasks_per_thread", "into which the nonzeros are split", 8, 1, 1024},
                     {"grain", "fewest rows and nonzeros a thread", 8192, 1, 1 << 30}},
      .prepare = {prepare<float, std::int32_t>, prepare<float, std::int64_t>,
                  prepare<double, std::int32_t>, prepare<double, std::int64_t>},
      .narrowing = Narrowing::floats,
      .brings_x_near = true};
}

#include "kernels/cpu/vector/isa_end.hpp"
