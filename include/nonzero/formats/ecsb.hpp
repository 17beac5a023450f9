#pragma once
#include <cstddef>
#include <type_traits>

#include <nonzero/array.hpp>
#include <nonzero/export.hpp>
#include <nonzero/formats/block_grid.hpp>
#include <nonzero/formats/csr.hpp>
#include <nonzero/formats/fill.hpp>
#include <nonzero/formats/hyb.hpp>
#include <nonzero/types.hpp>

namespace NZ_API nz {

// Expanded compressed sparse blocks (izawa2023 §2.4.3, after Tao et al. 2015): every entry says its
// place and its block, a row of blocks in the upper bits and a column of blocks in the lower ones.
// As HYB treats rows, so does this with rows of blocks: the first `width` entries of each lie in an
// ELL part, slot s of block row i at s * block_rows() + i and padding (padding_place, value 0)
// after the last, those that are left in a COO part with a pointer to the first of each. Either may
// be empty. Entries of a row of blocks come block by block, in Morton order.
template <RealValue T>
struct EcsbPart {
  std::int64_t size = 0;
  const std::uint32_t* blocks = nullptr;  // block_indices
  const std::uint32_t* places = nullptr;  // comb_row_col_indices
  const T* values = nullptr;
};

template <RealValue T, Offset O>
struct EcsbView : BlockGrid {
  using value_type = T;
  using offset_type = O;
  O nnz = 0;  // without padding
  O width = 0;
  EcsbPart<T> ell;
  EcsbPart<T> coo;
  const O* offsets = nullptr;  // block_rows() + 1, of the COO part: block_row_ptr

  // How many bits of a block tell its column of blocks.
  constexpr int column_bits() const {
    int bits = 0;
    while (std::int64_t{1} << bits < block_cols()) ++bits;
    return bits;
  }
  // The sum of §2.4.3, which leaves out the last element of block_row_ptr that figure 2.10 shows.
  constexpr std::size_t bytes() const {
    return static_cast<std::size_t>(ell.size + coo.size) * (sizeof(T) + 2 * sizeof(std::uint32_t)) +
           (static_cast<std::size_t>(block_rows()) + 1) * sizeof(O);
  }
};
static_assert(std::is_trivially_copyable_v<EcsbView<double, std::int64_t>>);

enum class EcsbKind { coo, ell, hybrid };

template <RealValue T, Offset O>
struct Ecsb : BlockGrid {
  struct Part {
    Array<std::uint32_t> blocks;
    Array<std::uint32_t> places;
    Array<T> values;
    EcsbPart<T> view() const {
      return {static_cast<std::int64_t>(values.size()), blocks.data(), places.data(),
              values.data()};
    }
    friend bool operator==(const Part&, const Part&) = default;
  };
  O entries = 0;
  O width = 0;
  Part ell;
  Part coo;
  Array<O> offsets{0};

  EcsbKind kind() const {
    return width == 0 ? EcsbKind::coo : coo.values.empty() ? EcsbKind::ell : EcsbKind::hybrid;
  }
  O nnz() const { return entries; }
  std::size_t bytes() const { return view().bytes(); }
  EcsbView<T, O> view() const {
    return {*this, entries, width, ell.view(), coo.view(), offsets.data()};
  }

  // Slots that are padding, and slots a nonzero of both parts together.
  std::int64_t fill() const {
    return static_cast<std::int64_t>(ell.values.size() + coo.values.size()) - entries;
  }
  double fill_ratio() const { return slots_per_nonzero(nnz() + fill(), nnz()); }

  // Throws BadInput naming the first block row, slot or entry that breaks the format.
  void validate() const;

  friend bool operator==(const Ecsb&, const Ecsb&) = default;
};

// Who chooses between ELL, COO and both.
enum class EcsbChoice {
  by_rule,  // as HYB chooses its width (HybRule), with rows of blocks for rows: COO where few have
            // many entries, ELL where most have as many as the longest. A row of blocks counts as
            // beta rows where the rule asks for a number of rows
  coo,
  ell,
};

// Throws InvalidArgument for a beta that beta_problem() names, and Refused for more than max_ratio
// blocks for each nonzero, row and column or, of ELL alone, slots a nonzero; and for a beta so
// small that rows and columns of blocks do not fit in 32 bits.
template <RealValue T, Offset O>
NZ_API Ecsb<T, O> ecsb_from_csr(const CsrView<T, O>& a, std::int64_t beta,
                                EcsbChoice choice = EcsbChoice::by_rule, HybRule rule = {},
                                double max_ratio = max_blocks_ratio);
// With the paper's beta, root_beta().
template <RealValue T, Offset O>
NZ_API Ecsb<T, O> ecsb_from_csr(const CsrView<T, O>& a);

template <RealValue T, Offset O>
NZ_API Csr<T, O> ecsb_to_csr(const EcsbView<T, O>& a);

}  // namespace nz
