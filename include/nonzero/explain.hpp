#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <nonzero/export.hpp>
#include <nonzero/formats/stored_values.hpp>
#include <nonzero/kernel.hpp>
#include <nonzero/types.hpp>

namespace NZ_API nz {

// What a short look at a matrix says about how to multiply it, the same short time for any large
// one. What was not looked at keeps its initial value.
struct Features {
  index_t rows = 0, cols = 0;
  std::int64_t nnz = 0;
  std::size_t value_bytes = 0, offset_bytes = 0;  // as the matrix comes
  double entries = 0;                             // looked at one by one
  double row_length = 0;                          // mean
  double compact_bytes = 0;                       // of the compact format, a nonzero
  double packed_bytes = 0;                        // of the packed format; 0: it would decline
  double run_share = 0;                           // of the entries that are in the latter's runs
  double sell_slots = 0;                          // of SELL, a nonzero; 0: not looked at
  // Of a value in its narrowest code: without those of 16 bits, and with them.
  double narrow_value_bytes = 0, compact_value_bytes = 0;
  double lines = 0;    // cache lines (64 bytes) of x that a few hundred rows touch, a nonzero
  double overlap = 0;  // how often the threads' parts of the rows touch a column, on average
  int block_rows = 1, block_cols = 1;  // of the dense blocks that suit best; 1 x 1: none
  double block_fill = 1;               // values that they store, a nonzero
  double tile_entries = 0;             // of a tile of 256 x 256 that has any
  double longest_row = 0;              // its entries, on a GPU; 0: not looked at
  // Of gpu/packed/slices: bytes a nonzero (0: not known), descriptions of runs and places for 32
  // picks a slice of 128 rows, the most picks that follow each other, diagonals a slice.
  double slice_bytes = 0, slice_runs = 0, slice_picks = 0, slice_depth = 0, slice_steps = 0;
  double hottest = 0;  // share of the entries that one column has
  // Parts of rows, a nonzero, in panels of columns whose x fits into shared memory; 0: not known.
  double panel_parts = 0;
  // Of patches that grow from a row over the columns that it touches: rows, and different columns
  // an entry; 0: not looked at.
  double patch_rows = 0, patch_columns = 0;
  // Rows and columns with entries: counted, or the most that there can be; -1: not known.
  double nonempty_rows = -1, nonempty_cols = -1;

  // Whether so few of the rows, or for T of the columns, have entries that products should leave
  // the others alone.
  bool hypersparse(bool n, bool t) const {
    const auto few = [](double nonempty, index_t all) {
      return nonempty >= 0 && all > 0 && 4 * nonempty <= all;
    };
    return ((n || t) && few(nonempty_rows, rows)) || (t && few(nonempty_cols, cols));
  }
  double csr_bytes() const {
    return static_cast<double>(nnz) * static_cast<double>(value_bytes + sizeof(index_t)) +
           (static_cast<double>(rows) + 1) * static_cast<double>(offset_bytes);
  }
  // Of the transpose, if it looked alike but for its shape.
  Features transposed() const;
};

// A way to multiply the matrix that a plan has thought about.
struct Candidate {
  const Kernel* kernel = nullptr;
  Parameters parameters{};
  bool transposed = false;  // prepared from the transpose: the kernel's N is the matrix's T
  // Predicted, of one multiply of the matrix (not of what is prepared) and of preparing.
  double n_seconds = 0, t_seconds = 0, setup_seconds = 0;
  double bytes = 0;  // that the plan would keep on its device, predicted
  std::string why;   // what the prediction comes from
  // What kept it from being taken; empty: it was.
  std::string why_not{};
  bool too_large = false;  // that was its bytes
  // Where beta is 1, its products touch no element of y whose row (T: column) is empty.
  bool spares_empty = false;
  // Measured where the plan has timed it: thorough ones always, balanced ones on a CPU, and on a
  // GPU where predictions are close; 0: not.
  double measured_seconds = 0, measured_setup = 0;

  // What decided: measured where it was, otherwise predicted, on average over the products wanted.
  double seconds(bool n, bool t) const;
  double seconds(Op op) const { return is_transposed(op) ? t_seconds : n_seconds; }
  // The kernel's product that does the matrix's op.
  Op inner(Op op) const { return transposed ? of_transpose(op) : op; }
  // Whether op gives the same bits again.
  bool repeats(Op op) const;
};

// How a plan came about.
struct Explanation {
  std::string device;
  int threads = 1;
  Features features;
  // First what was taken: one, or N's and T's where each has its own; then the others.
  std::vector<Candidate> candidates;
  bool n = true, t = false;  // the products it was made for
  bool deterministic = false;
  std::string why;    // this kernel
  std::string input;  // what had to be copied of the caller's arrays; empty: nothing
  // What store_values_as has done to the values that the plan has now.
  ValueRounding rounding{};
  // Seconds of making it: the look at the caller's arrays; samples and predictions; conversion and
  // copies of what was taken; preparing and timing others.
  double checking = 0, looking = 0, converting = 0, timing = 0;
  std::size_t bytes = 0, csr_bytes = 0;  // kept by the plan; of the matrix in CSR
  bool from_cache = false;               // the choice was made and timed before

  double setup() const { return checking + looking + converting + timing; }
  // What the same bits every time cost, or would cost: a sentence.
  std::string determinism() const;
  // All of this for people, in lines.
  std::string text() const;
};

}  // namespace nz
