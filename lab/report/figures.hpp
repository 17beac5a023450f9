#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lab/report/runs.hpp"
#include "lab/report/svg.hpp"

// One file a figure. Each takes a run and gives what it can of it: one figure a variant (f64 N, …),
// one of all, or none.
namespace nz::lab {

struct Figure {
  std::string kind;     // "roofline"
  std::string variant;  // "f64 N"; "" for all
  std::string label;    // for those who cannot see it
  std::string caption;  // how to read it
  Drawing drawing;
  std::string name{};  // where there are several of a kind

  std::string id() const;  // "roofline-f64-N", for files
};
using FigureList = std::vector<Figure>;

FigureList speedup_figures(const Run& run);     // ours over the best peer, sorted
FigureList roofline_figures(const Run& run);    // speed over intensity, under what memory gives
FigureList bars_figures(const Run& run);        // speed on each matrix, ours and the best peer
FigureList profile_figures(const Run& run);     // Dolan and Moré's performance profile
FigureList memory_figures(const Run& run);      // bytes held, against CSR
FigureList setup_figures(const Run& run);       // what preparing costs
FigureList break_even_figures(const Run& run);  // when it has paid
FigureList vectors_figures(const Run& run);     // time over the number of vectors
FigureList sweep_figures(const Run& run);    // sensitivity to parameters, where several were tried
FigureList kernels_figures(const Run& run);  // every kernel on one matrix: bars and roofline
FigureList spy_figures(const Run& run);      // where the nonzeros are
FigureList table_figures(const Run& run);    // of a paper's experiment: its tables and ours

// What a figure of sorted ratios says of itself.
struct RatioWords {
  std::string kind, title, about, axis;
  std::string who;  // is faster where a ratio is above 1
  std::string label, caption;
};
// Of one pair or more.
Figure ratio_figure(const FigureStyle& style, std::vector<Pair> pairs, const RatioWords& words);

// A picture as records have it, as the bytes of a PNG: blue of any strength over nothing, so that
// it suits light and dark paper.
std::string picture_png(const std::vector<std::string>& picture);

// The roofline of one matrix, every kernel by name.
std::optional<Figure> roofline_of(const Run& run, const Variant& v, const std::string& matrix);

// All of a run, in the order of the page.
FigureList all_figures(const Run& run);

// A file name that needs no quotes anywhere.
std::string file_name(std::string text);

// What every mark says first: the matrix with its size, and the product.
std::string case_text(const Result& r);
// seconds_text() with a proper µ, which a terminal may not have.
std::string time_of(double seconds);
// The kernel and its time.
std::string time_text(const Result& r);

}  // namespace nz::lab
