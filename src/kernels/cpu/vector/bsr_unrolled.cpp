#include <algorithm>
#include <type_traits>
#include <vector>

#include "base/parallel.hpp"
#include "kernels/bsr_parameters.hpp"
#include "kernels/cpu/cpu_product.hpp"
#include "kernels/cpu/entry_split.hpp"
#include "kernels/cpu/fused.hpp"
#include "kernels/cpu/vector/bsr_several.hpp"
#include "kernels/cpu/vector/complex_blocks.hpp"
#include "kernels/cpu/vector/lanes.hpp"
#include "kernels/cpu/vector/run_writer.hpp"
#include "kernels/cpu/windows.hpp"

#include "kernels/cpu/vector/isa_begin.hpp"

namespace {

// A shape known at compile time: the block's product is straight code, its sums stay in registers.
template <int R, int C>
struct Fixed {};

// The sums of a line of blocks. Where vectors can be cut, a row of a block is a vector, however
// short.
template <class T, int R, int C, bool vectors = Lanes<T>::can_cut && (C <= Lanes<T>::width)>
struct LineSums {
  T at[R] = {};
  NZ_INLINE void add(const T* block, const T* x) {
    for (int r = 0; r < R; ++r)
      for (int c = 0; c < C; ++c) at[r] += block[r * C + c] * x[c];
  }
  NZ_INLINE T row(int r) const { return at[r]; }
};
template <class T, int R, int C>
struct LineSums<T, R, C, true> {
  using L = Lanes<T>;
  typename L::Vector at[R];
  NZ_INLINE LineSums() {
    for (auto& v : at) v = L::zero();
  }
  NZ_INLINE void add(const T* block, const T* x) {
    const auto mask = L::first(C);
    const auto v = L::load_some(mask, x);
    for (int r = 0; r < R; ++r) at[r] = L::fma(L::load_some(mask, block + r * C), v, at[r]);
  }
  NZ_INLINE T row(int r) const { return L::sum(at[r]); }
};

// Adds the transposed block's product to y. Not by masked vectors: what they store must reach the
// cache before the next block can load it.
template <class T, int R, int C>
NZ_INLINE void scatter_block(T* y, const T* block, const T* x) {
  for (int c = 0; c < C; ++c) {
    T s = y[c];
    for (int r = 0; r < R; ++r) s += block[r * C + c] * x[r];
    y[c] = s;
  }
}

// Calls what(Fixed<R, C>) for the shapes that matrices of finite elements and of several unknowns
// a node have; false for any other.
template <class What>
bool with_shape(index_t rows, index_t cols, What&& what) {
  if (rows != cols) return false;
  switch (rows) {
    case 1:
      return what(Fixed<1, 1>{}), true;
    case 2:
      return what(Fixed<2, 2>{}), true;
    case 3:
      return what(Fixed<3, 3>{}), true;
    case 4:
      return what(Fixed<4, 4>{}), true;
    case 5:
      return what(Fixed<5, 5>{}), true;
    case 6:
      return what(Fixed<6, 6>{}), true;
    case 8:
      return what(Fixed<8, 8>{}), true;
    default:
      return false;
  }
}

template <Value T, Offset O>
class BsrUnrolled final : public cpu::SeveralProduct<T> {
  using L = Lanes<T>;

 public:
  BsrUnrolled(const CsrView<T, O>& a, const Parameters& p)
      : stored_(to_bsr(a, p)), a_(stored_.view()) {
    const int team =
        cpu::team_size(threads(), a.rows + static_cast<std::int64_t>(a.nnz), p.at("grain"));
    const auto size = static_cast<std::int64_t>(a_.block_size());
    cuts_ = cpu::split_lines(a_.grid_rows(), team, [&](index_t i) {
      return static_cast<std::int64_t>(a_.offsets[i]) * size + std::int64_t{i} * a_.block_rows;
    });
    std::vector<cpu::ColumnRange> ranges(static_cast<std::size_t>(team));
    parallel_parts(team, [&](int part) {
      index_t low = a_.cols, high = 0;
      for (O k = a_.offsets[cuts_[part]]; k < a_.offsets[cuts_[part + 1]]; ++k) {
        const index_t j = a_.columns[k];
        low = std::min(low, j * a_.block_cols);
        high = std::max(high, j * a_.block_cols + a_.width(j));
      }
      if (low < high) ranges[part] = {low, high};
    });
    windows_ = {a_.cols, std::move(ranges)};
  }

  Facts facts() const override { return bsr_facts(a_); }

  void multiply(Op op, T alpha, std::span<const T> x, T beta, std::span<T> y) const override {
    if (cpu::take_rare_alpha<T>(*this, op, alpha, x, beta, y)) return;
    if (op == Op::none) {
      parallel_parts(team(), [&](int part) {
        lines(cuts_[part], cuts_[part + 1], alpha, x.data(), beta, y.data());
      });
    } else {
      typename cpu::Windows<T>::Sums buffers(windows_);
      const auto fixed = [&](auto shape) {
        parallel_parts(team(), [&](int part) {
          T* sums = buffers.clear(part);
          for (index_t i = cuts_[part]; i < cuts_[part + 1]; ++i)
            scatter_line(shape, i, x.data(), sums);
        });
      };
      if (!with_shape(a_.block_rows, a_.block_cols, fixed))
        parallel_parts(team(), [&](int part) {
          T* sums = buffers.clear(part);
          for (index_t i = cuts_[part]; i < cuts_[part + 1]; ++i)
            any_scatter_line(i, x.data(), sums);
        });
      buffers.reduce(team(), alpha, beta, y.data());
    }
  }

  bool fuses(Op op) const override { return op == Op::none && team() <= cpu::most_fused; }
  // Some lines of blocks are ended while the nearest cache has their rows.
  void multiply_fused(StreamView stream, Op op, T alpha, std::span<const T> x, T beta,
                      std::span<T> y, const Epilogue<T>& end) const override {
    if (!fuses(op) || !cpu::takes_fused(stream, alpha))
      return Product<T>::multiply_fused(stream, op, alpha, x, beta, y, end);
    cpu::end_parts(end, team(), [&](int part) {
      EndSums sums;
      cpu::in_steps(cuts_[part], cuts_[part + 1], 128, [&](index_t first, index_t last) {
        lines(first, last, alpha, x.data(), beta, y.data());
        sums += end_elements(end, y.data(), std::int64_t{first} * a_.block_rows,
                             std::min<std::int64_t>(a_.rows, std::int64_t{last} * a_.block_rows));
      });
      return sums;
    });
  }

  std::size_t bytes() const override {
    return stored_.bytes() + windows_.bytes() + cuts_.size() * sizeof(index_t);
  }
  bool borrows() const override { return false; }
  std::size_t traffic(Op op, bool reads_y) const override {
    return cpu::traffic_of(a_, a_.bytes(), op, reads_y);
  }

 private:
  int team() const { return static_cast<int>(cuts_.size()) - 1; }

  // Lines of blocks `first` to `last`.
  void lines(index_t first, index_t last, T alpha, const T* x, T beta, T* y) const {
    const auto fixed = [&](auto shape) {
      for (index_t i = first; i < last; ++i) line(shape, i, alpha, x, beta, y);
    };
    if (!with_shape(a_.block_rows, a_.block_cols, fixed))
      for (index_t i = first; i < last; ++i) any_line(i, alpha, x, beta, y);
  }

  cpu::SeveralShape several_shape() const override {
    const auto values =
        static_cast<std::int64_t>(a_.blocks) * static_cast<std::int64_t>(a_.block_size());
    cpu::SeveralShape shape = several_shape_of<T>(values, team(), true);
    shape.reads_rows = with_shape(a_.block_rows, a_.block_cols, [](auto) {});
    return shape;
  }
  void several(Op op, const cpu::Several<T>& s) const override {
    const auto by_lines = [&](auto shape) { several_by_lines(shape, op, s); };
    if (s.x_stride == 1 && with_shape(a_.block_rows, a_.block_cols, by_lines)) return;
    several_by_writing(op, s, windows_, [&](int part, RunWriter<T>& to) {
      const auto write = [&](auto cols) {
        for (index_t i = cuts_[part]; i < cuts_[part + 1]; ++i)
          for (index_t r = 0; r < a_.height(i); ++r) write_row(cols, i, r, to);
      };
      const auto fixed = [&]<int R, int C>(Fixed<R, C>) {
        write(std::integral_constant<index_t, C>{});
      };
      if (!with_shape(a_.block_rows, a_.block_cols, fixed)) write(a_.block_cols);
    });
  }

  template <int R, int C>
  void several_by_lines(Fixed<R, C>, Op op, const cpu::Several<T>& s) const {
    if (op == Op::none)
      parallel_parts(team(), [&](int part) {
        for (index_t i = cuts_[part]; i < cuts_[part + 1]; ++i)
          for_packs(s, [&]<int n>(Count<n>, index_t first)
                           NZ_INLINE_LAMBDA { line_of_several<n, R, C>(a_, i, s, first); });
      });
    else
      several_into_windows(
          s, windows_, [&](int part, const cpu::Several<T>& some, T* sums, std::int64_t leading) {
            for (index_t i = cuts_[part]; i < cuts_[part + 1]; ++i)
              for_packs(some, [&]<int n>(Count<n>, index_t first) NZ_INLINE_LAMBDA {
                scatter_line_of_several<n, R, C>(a_, i, some, first, sums, leading);
              });
          });
  }

  // The entries of row r of line i, whose blocks have `cols` columns.
  template <class Cols>
  NZ_INLINE void write_row(Cols cols, index_t i, index_t r, RunWriter<T>& to) const {
    const index_t width = cols;
    to.begin_row(i * a_.block_rows + r);
    const O end = whole_end(i);
    for (O k = a_.offsets[i]; k < end;) {
      const auto blocks = std::min<std::int64_t>(end - k, RunWriter<T>::room / width);
      auto at = to.place(static_cast<index_t>(blocks) * width);
      for (const O stop = k + static_cast<O>(blocks); k < stop; ++k) {
        const T* const values = block(k) + static_cast<std::ptrdiff_t>(r) * width;
        const index_t first = a_.columns[k] * width;
        for (index_t c = 0; c < width; ++c) {
          at.values[c] = values[c];
          at.columns[c] = first + c;
        }
        at.values += width;
        at.columns += width;
      }
      to.taken(static_cast<index_t>(blocks) * width);
    }
    if (end < a_.offsets[i + 1]) {
      const index_t j = a_.columns[end], rest = a_.width(j);
      const auto at = to.place(rest);
      for (index_t c = 0; c < rest; ++c) {
        at.values[c] = block(end)[r * width + c];
        at.columns[c] = j * width + c;
      }
      to.taken(rest);
    }
    to.end_row();
  }
  const T* block(O k) const { return a_.values + static_cast<std::size_t>(k) * a_.block_size(); }

  // The end of the line's whole blocks: only the last can reach beyond the matrix.
  O whole_end(index_t i) const {
    const O end = a_.offsets[i + 1];
    const bool cut = end > a_.offsets[i] && a_.width(a_.columns[end - 1]) < a_.block_cols;
    return end - cut;
  }

  template <int R, int C>
  NZ_INLINE void line(Fixed<R, C>, index_t i, T alpha, const T* x, T beta, T* y) const {
    LineSums<T, R, C> whole;
    const O end = whole_end(i);
    for (O k = a_.offsets[i]; k < end; ++k) whole.add(block(k), x + a_.columns[k] * C);
    T sums[R];
    for (int r = 0; r < R; ++r) sums[r] = whole.row(r);
    if (end < a_.offsets[i + 1]) {
      const index_t j = a_.columns[end], width = a_.width(j);
      for (int r = 0; r < R; ++r)
        for (int c = 0; c < width; ++c) sums[r] += block(end)[r * C + c] * x[j * C + c];
    }
    const index_t height = a_.height(i);
    for (index_t r = 0; r < height; ++r) cpu::store(y[i * R + r], alpha, sums[r], beta);
  }

  template <int R, int C>
  NZ_INLINE void scatter_line(Fixed<R, C>, index_t i, const T* x, T* sums) const {
    T factors[R] = {};
    std::copy_n(x + i * R, a_.height(i), factors);
    const O end = whole_end(i);
    for (O k = a_.offsets[i]; k < end; ++k)
      scatter_block<T, R, C>(sums + a_.columns[k] * C, block(k), factors);
    if (end < a_.offsets[i + 1]) {
      const index_t j = a_.columns[end], width = a_.width(j);
      for (int r = 0; r < R; ++r)
        for (int c = 0; c < width; ++c) sums[j * C + c] += block(end)[r * C + c] * factors[r];
    }
  }

  // Any shape: vectors along the rows of a block, a few rows at once.
  NZ_INLINE void any_line(index_t i, T alpha, const T* x, T beta, T* y) const {
    constexpr index_t at_once = 8;
    const index_t height = a_.height(i);
    for (index_t top = 0; top < height; top += at_once) {
      const index_t rows = std::min(at_once, height - top);
      typename L::Vector sums[at_once];
      for (auto& s : sums) s = L::zero();
      for (O k = a_.offsets[i]; k < a_.offsets[i + 1]; ++k) {
        const index_t j = a_.columns[k], width = a_.width(j);
        const T* from = x + j * a_.block_cols;
        const T* values = block(k) + static_cast<std::ptrdiff_t>(top) * a_.block_cols;
        index_t c = 0;
        for (; c + L::width <= width; c += L::width) {
          const auto v = L::load(from + c);
          for (index_t r = 0; r < rows; ++r)
            sums[r] = L::fma(L::load(values + r * a_.block_cols + c), v, sums[r]);
        }
        if (c < width) {
          const auto rest = L::first(width - c);
          const auto v = L::load_some(rest, from + c);
          for (index_t r = 0; r < rows; ++r)
            sums[r] = L::fma(L::load_some(rest, values + r * a_.block_cols + c), v, sums[r]);
        }
      }
      T* to = y + i * a_.block_rows + top;
      for (index_t r = 0; r < rows; ++r) cpu::store(to[r], alpha, L::sum(sums[r]), beta);
    }
  }

  NZ_INLINE void any_scatter_line(index_t i, const T* x, T* sums) const {
    const index_t height = a_.height(i);
    const T* from = x + i * a_.block_rows;
    for (O k = a_.offsets[i]; k < a_.offsets[i + 1]; ++k) {
      const index_t j = a_.columns[k], width = a_.width(j);
      T* to = sums + j * a_.block_cols;
      for (index_t r = 0; r < height; ++r) {
        const T* values = block(k) + static_cast<std::ptrdiff_t>(r) * a_.block_cols;
        const T factor = from[r];
        for (index_t c = 0; c < width; ++c) to[c] += values[c] * factor;
      }
    }
  }

  Bsr<T, O> stored_;
  BsrView<T, O> a_;
  std::vector<index_t> cuts_;
  cpu::Windows<T> windows_;
};

template <Value T, Offset O>
std::unique_ptr<Product<T>> prepare(const CsrView<T, O>& a, const Parameters& p) {
  return std::make_unique<BsrUnrolled<T, O>>(a, p);
}

}  // namespace

Kernel cpu_bsr_unrolled() {
  std::vector<Parameter> parameters = bsr_parameters();
  parameters.push_back({"grain", "fewest rows and nonzeros a thread", 8192, 1, 1 << 30});
  return {.family = "cpu",
          .format = "bsr",
          .strategy = "unrolled",
          .transposes = true,
          .several = true,
          .determinism = Determinism::always,
          .threaded = true,
          .source = "own",
          .summary = "equal blocks a thread, common shapes as straight code",
          .parameters = std::move(parameters),
          .prepare =
              with_complex_blocks({prepare<float, std::int32_t>, prepare<float, std::int64_t>,
                                   prepare<double, std::int32_t>, prepare<double, std::int64_t>}),
          .with_fill = with_bsr_fill,
          .fit = fit_blocks,
          .rows_end_together = true};
}

#include "kernels/cpu/vector/isa_end.hpp"
