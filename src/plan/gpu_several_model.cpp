#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "kernels/bsr_squares.hpp"
#include "kernels/columns_of_vectors.hpp"
#include "kernels/wide_rows.hpp"
#include "plan/models.hpp"

// What GPU kernels take for several vectors, by rows or by columns, beside what they take for one
// (gpu_model.cpp).
namespace nz {
namespace {

// What an element of X that an entry gathers takes, of one that is streamed: most come from the L2.
constexpr double l2_share = 0.6;

// What memory takes for so many bytes.
double streamed(double bytes, const GpuTuning& tuning) {
  return bytes * 1e-6 * tuning.megabyte * pico;
}

// Seconds that each vector adds to a product that reads the matrix once for all: its elements, and
// what its gathers take, as a share of what memory would take for them.
double vector_seconds(const Features& f, double share, const GpuTuning& tuning) {
  const double vectors = static_cast<double>(f.rows) + f.cols;
  return streamed(
      (vectors + static_cast<double>(f.nnz) * share) * static_cast<double>(f.value_bytes), tuning);
}

// What a product of several vectors takes before the first of them: seconds, and for each entry
// and each row bytes that memory streams in the same time; then the share of vector_seconds(), and
// what a vector takes at least. Most take their entries through shared memory, which costs far more
// than memory takes for them, and in a small matrix lanes wait there for each vector.
struct SeveralVectors {
  std::string_view kernel;
  bool through_shared;
  double start;
  struct PerType {
    double entry, share, row, least;
  } in_float, in_double;
};
constexpr SeveralVectors several_vectors[] = {
    {"gpu/bsr/balanced", false, 5e-6, {12, 0.39, 0, 0}, {32, 0.39, 0, 0}},
    {"gpu/coo/slots", true, 8e-6, {30, 0.43, 0, 0.3e-6}, {50, 0.69, 0, 1e-6}},
    {"gpu/compact/balanced", true, 4e-6, {40, 0.43, 0, 0.3e-6}, {54, 0.69, 0, 1e-6}},
    {"gpu/csr/balanced", true, 4e-6, {48, 0.43, 0, 0.3e-6}, {70, 0.69, 0, 1e-6}}};
// Rows in place (kernels/gpu/csr/several_in_place.hpp).
constexpr SeveralVectors csr_runs = {
    "gpu/csr/balanced", true, 8e-6, {28, 0.16, 0, 0}, {52, 0.14, 0, 0}};
constexpr SeveralVectors csr_warps = {
    "gpu/csr/balanced", true, 3e-6, {16, 0.32, 384, 0}, {32, 0.36, 384, 0}};

// Squares that are small, and so few vectors that they have no kernel of their own for them.
constexpr SeveralVectors few_of_squares = {
    "gpu/bsr/balanced", false, 9e-6, {10, 0.39, 0, 0}, {15, 0.39, 0, 0}};
constexpr int largest_of_small_squares = 6;

// Elements of a row of X as kernels read it.
int elements_in_packs(const Features& f, int vectors) {
  const std::size_t bytes = std::clamp<std::size_t>(f.value_bytes, 4, 16);
  const int whole = static_cast<int>(16 / bytes);
  if (vectors % elements_of_pack(vectors, bytes) == 0) return vectors;
  return (vectors + whole - 1) / whole * whole;
}

const SeveralVectors& csr_way(const SeveralVectors& tiles, const Features& f, int vectors) {
  const double mean = static_cast<double>(f.nnz) / std::max<double>(1, f.rows);
  const double row_bytes = elements_in_packs(f, vectors) * static_cast<double>(f.value_bytes);
  if (std::fmod(row_bytes, 16) != 0) return tiles;
  const int most =
      longest_in_tile(f.nnz, usual_tile_threads, items_of_tile(f.nnz, f.value_bytes, mean));
  const bool differ = f.longest_row > std::max<double>(most, 2 * mean);
  switch (several_by(row_bytes, f.value_bytes, mean, differ)) {
    case SeveralBy::runs:
      return csr_runs;
    case SeveralBy::warps:
      return csr_warps;
    default:
      return tiles;
  }
}

// X into rows of whole packs, where it has others: a launch with memory of its own, a pass over
// both, and Y element by element.
double into_whole_packs(const Features& f, int vectors, const GpuTuning& tuning) {
  if (elements_in_packs(f, vectors) == vectors) return 0;
  constexpr double start = 4e-6;
  const double elements = vectors * (2.0 * f.cols + 0.5 * f.rows);
  return start + streamed(elements * static_cast<double>(f.value_bytes), tuning);
}

// Runs whose values differ are walked again for every vector by gpu/packed/slices, which takes so
// many times as long as others for each, unless it stores hardly any bytes a nonzero.
constexpr double packed_vectors = 2.5, stencil_bytes = 1;
// Of more than 8 its lanes stand for a power of 2 of vectors, whether there are as many or not.
int packed_lanes(int vectors) {
  return vectors <= 8 ? vectors : static_cast<int>(std::bit_ceil(static_cast<unsigned>(vectors)));
}

// X by rows into columns, and Y back, for those that multiply one by one: two launches with memory
// of their own, and a pass over both layouts.
double through_columns(const Features& f, int vectors, const GpuTuning& tuning) {
  constexpr double start = 6e-6;
  const double elements = vectors * (static_cast<double>(f.rows) + f.cols);
  return start + streamed(2 * elements * static_cast<double>(f.value_bytes), tuning);
}

// Of square blocks; 0: these are none, or the kernel has others.
int side_of_blocks(const Candidate& c) {
  const auto rows = c.parameters.find("block_rows"), cols = c.parameters.find("block_cols");
  const auto end = c.parameters.end();
  if (c.kernel->format != "bsr" || rows == end || cols == end || rows->second != cols->second)
    return 0;
  return static_cast<int>(rows->second);
}

const SeveralVectors* known_several(const Candidate& c) {
  if (const int side = side_of_blocks(c); side > 0 && side <= largest_of_small_squares)
    return &few_of_squares;
  const auto* const found = std::ranges::find_if(
      several_vectors, [&](const SeveralVectors& s) { return c.kernel->id() == s.kernel; });
  return found == std::end(several_vectors) ? nullptr : found;
}

// Square blocks by kernels of their own; 0: there is none for these. In times that memory takes:
// the bytes of the blocks; for each vector its elements, and the rows of X that groups load, each
// for all the rows of a block that they take.
double squares_seconds(const Candidate& c, const Features& f, int vectors,
                       const GpuTuning& tuning) {
  struct PerType {
    double start, bytes, elements, loads;
  };
  constexpr PerType in_float{4.7e-6, 2.0, 0.87, 0.45}, in_double{6.7e-6, 1.37, 1.0, 0.44};
  const int side = side_of_blocks(c);
  const double row = elements_in_packs(f, vectors) * static_cast<double>(f.value_bytes);
  if (!has_squares_kernel(side) || row < 16 * least_packs_for_squares || std::fmod(row, 16) != 0)
    return 0;
  const PerType& t = f.value_bytes <= 4 ? in_float : in_double;
  const double values = static_cast<double>(f.nnz) * f.block_fill;
  const double bytes =
      values * (static_cast<double>(f.value_bytes) + double{sizeof(index_t)} / (side * side));
  const double loads = values / square_rows_of_group(side);
  return t.start + into_whole_packs(f, vectors, tuning) +
         streamed(t.bytes * bytes +
                      row * (t.elements * (static_cast<double>(f.rows) + f.cols) + t.loads * loads),
                  tuning);
}

// A few vectors that gpu/coo/slots adds up in registers, as one.
bool is_few(const Candidate& c, int vectors) {
  return c.kernel->id() == "gpu/coo/slots" && vectors <= most_few_vectors;
}
// In times that memory takes: for each vector but the first its elements and 4 bytes an entry; by
// columns as they lie it gathers again, too, each line that rows beside each other do not share.
double few_seconds(const Candidate& c, const Features& f, int vectors, bool columns,
                   const GpuTuning& tuning) {
  constexpr double entry = 4;
  const auto nnz = static_cast<double>(f.nnz);
  const double value = static_cast<double>(f.value_bytes);
  const double elements = (static_cast<double>(f.rows) + f.cols) * value;
  const bool saw_rows = f.entries >= 8 * f.row_length;
  const double lines = saw_rows ? std::max(0.0, nnz * f.lines - f.cols * value / 64) : 0;
  const double again = columns ? lines * tuning.line * pico : 0;
  return c.n_seconds + (vectors - 1) * (streamed(elements + entry * nnz, tuning) + again);
}
// What a matrix is small beside: its few vectors are read where they lie.
bool few_in_place(const Candidate& c, const Features& f, int vectors) {
  return columns_read_in_place(c.bytes / static_cast<double>(f.value_bytes + sizeof(index_t)),
                               vectors);
}
// By rows; three floats are no whole pack, and loaded one by one as columns are.
bool are_loose(const Features& f, int vectors) {
  return f.value_bytes <= 4 && elements_in_packs(f, vectors) != vectors;
}
double few_rows_copied(const Candidate& c, const Features& f, int vectors,
                       const GpuTuning& tuning) {
  return few_seconds(c, f, vectors, false, tuning) +
         (are_loose(f, vectors) ? into_whole_packs(f, vectors, tuning) : 0);
}
double few_rows_seconds(const Candidate& c, const Features& f, int vectors,
                        const GpuTuning& tuning) {
  const double copied = few_rows_copied(c, f, vectors, tuning);
  if (!are_loose(f, vectors)) return copied;
  const double in_place = few_seconds(c, f, vectors, true, tuning);
  return few_in_place(c, f, vectors) ? in_place : std::min(in_place, copied);
}

// By rows, at once.
double rows_seconds(const Candidate& c, const Features& f, int vectors, const GpuTuning& tuning) {
  if (is_few(c, vectors)) return few_rows_seconds(c, f, vectors, tuning);
  if (const double squares = squares_seconds(c, f, vectors, tuning); squares > 0) return squares;
  if (const SeveralVectors* const known = known_several(c)) {
    const SeveralVectors& s =
        known->kernel == csr_warps.kernel ? csr_way(*known, f, vectors) : *known;
    const auto& [entry, share, row, least] = f.value_bytes <= 4 ? s.in_float : s.in_double;
    const double entries =
        static_cast<double>(f.nnz) * (c.kernel->format == "bsr" ? f.block_fill : 1);
    const double before = s.start + streamed(entries * entry + f.rows * row, tuning);
    return std::max(c.n_seconds, before) + into_whole_packs(f, vectors, tuning) +
           (vectors - 2) * std::max(least, vector_seconds(f, share, tuning));
  }
  const double each = vector_seconds(f, l2_share, tuning);
  const bool is_packed = c.kernel->format == "packed";
  const bool walks = is_packed && f.slice_bytes > stencil_bytes;
  return c.n_seconds + into_whole_packs(f, vectors, tuning) +
         ((is_packed ? packed_lanes(vectors) : vectors) - 1) *
             (walks ? packed_vectors * each : each);
}

// By columns, as kernels take them that know rows alone: one by one, or X into rows, and Y back.
double through_rows_seconds(const Candidate& c, const Features& f, int vectors,
                            const GpuTuning& tuning) {
  constexpr double start = 2.5e-6, passes = 3.6;  // of a transposition, which are two
  constexpr double start_of_few = 5e-6;
  const SeveralVectors* const known = known_several(c);
  const double column = vectors * static_cast<double>(f.value_bytes);
  const double entries = c.bytes / static_cast<double>(f.value_bytes + sizeof(index_t));
  const bool in_place = columns_read_in_place(entries, vectors);
  if (is_few(c, vectors))
    return in_place ? few_seconds(c, f, vectors, true, tuning)
                    : few_seconds(c, f, vectors, false, tuning) + start_of_few +
                          streamed(passes * column * f.cols, tuning);
  if (columns_one_by_one(c.bytes, column * (static_cast<double>(f.rows) + f.cols), vectors,
                         known && known->through_shared, in_place))
    return vectors * c.n_seconds;
  double seconds = rows_seconds(c, f, vectors, tuning);
  if (!in_place) seconds += start + streamed(passes * column * f.cols, tuning);
  const double mean = static_cast<double>(f.nnz) / std::max<double>(1, f.rows);
  const bool wants_rows = !in_place && mean >= least_for_rows_of_y && known &&
                          known->kernel == csr_warps.kernel &&
                          &csr_way(*known, f, vectors) != known;
  if (wants_rows || !columns_written_in_place(vectors, f.value_bytes))
    seconds += start + streamed(passes * column * f.rows, tuning);
  return seconds;
}

// Lines of x beyond those that all of it has, an entry: that rows beside each other do not share.
double lines_apart(const Features& f) {
  return std::max(0.0, f.lines - f.cols * static_cast<double>(f.value_bytes) / 64 /
                                     std::max(1.0, static_cast<double>(f.nnz)));
}

// By columns, as they lie (kernels/gpu/csr/several_columns.cpp); infinite where lanes side by side
// would fetch lines apart. In times that memory takes: the bytes of CSR; for each vector its
// elements, 4 bytes an entry, and lines apart.
double columns_seconds(const Features& f, int vectors, const GpuTuning& tuning) {
  struct PerType {
    double start, csr, elements, entry, line, most_apart;
  };
  constexpr PerType in_float{4.1e-6, 2.47, 0.74, 0.60, 0.25, 0.07},
      in_double{5.2e-6, 2.91, 0.88, 0.64, 0.37, 0.11};
  const PerType& t = f.value_bytes <= 4 ? in_float : in_double;
  // Of short rows, lines a row tell whether they are near each other.
  constexpr double most_apart_of_row = 0.5;
  const double most = std::max(t.most_apart, most_apart_of_row / std::max(1.0, f.row_length));
  if (f.entries == 0 || lines_apart(f) > most) return std::numeric_limits<double>::infinity();
  const auto nnz = static_cast<double>(f.nnz);
  const double elements =
      (static_cast<double>(f.rows) + f.cols) * static_cast<double>(f.value_bytes);
  const double each = t.elements * elements + nnz * (4 * t.entry + 64 * t.line * lines_apart(f));
  return t.start + streamed(t.csr * f.csr_bytes() + vectors * each, tuning);
}

}  // namespace

Parameters gpu_several_parameters(const Candidate& c, const Features& f, int vectors, Layout layout,
                                  const GpuTuning& tuning) {
  if (layout != Layout::column_major) {
    const bool told =
        is_few(c, vectors) && are_loose(f, vectors) && !few_in_place(c, f, vectors) &&
        few_seconds(c, f, vectors, true, tuning) < few_rows_copied(c, f, vectors, tuning);
    return told ? Parameters{{"columns", 1}} : Parameters{};
  }
  const double through = through_rows_seconds(c, f, vectors, tuning);
  if (is_few(c, vectors)
          ? few_seconds(c, f, vectors, true, tuning) < through
          : c.kernel->id() == csr_warps.kernel && columns_seconds(f, vectors, tuning) < through)
    return {{"columns", 1}};
  return {};
}

double gpu_several_seconds(const Candidate& c, const Features& f, int vectors, Layout layout,
                           bool at_once, const GpuTuning& tuning) {
  const bool by_columns = layout == Layout::column_major;
  if (!at_once)
    return vectors * c.n_seconds + (by_columns ? 0 : through_columns(f, vectors, tuning));
  if (!by_columns) return rows_seconds(c, f, vectors, tuning);
  if (!gpu_several_parameters(c, f, vectors, layout, tuning).empty())
    return is_few(c, vectors) ? few_seconds(c, f, vectors, true, tuning)
                              : columns_seconds(f, vectors, tuning);
  return through_rows_seconds(c, f, vectors, tuning);
}

}  // namespace nz
