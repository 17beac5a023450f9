#include "lab/report/figures.hpp"

#include <cctype>

#include <fmt/format.h>

#include "lab/report/text.hpp"

namespace nz::lab {

std::string file_name(std::string text) {
  for (char& c : text)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.') c = '-';
  return text;
}

std::string Figure::id() const {
  std::string all = kind;
  for (const std::string& part : {name, variant})
    if (!part.empty()) all += '-' + part;
  return file_name(all);
}

std::string case_text(const Result& r) {
  return fmt::format("{} · {} {} · {}", r.matrix, r.type, r.op,
                     plural(r.nnz, "nonzero", "nonzeros"));
}

std::string time_text(const Result& r) {
  return fmt::format("{}: {}", short_name(r.kernel), time_of(*r.median_s));
}

std::string time_of(double seconds) {
  std::string text = seconds_text(seconds);
  if (text.ends_with("us")) text.replace(text.size() - 2, 2, "µs");
  return text;
}

FigureList all_figures(const Run& run) {
  FigureList all;
  for (auto* make : {speedup_figures, roofline_figures, profile_figures, memory_figures,
                     bars_figures, kernels_figures, setup_figures, break_even_figures,
                     table_figures, vectors_figures, sweep_figures, spy_figures})
    for (Figure& f : make(run)) all.push_back(std::move(f));
  return all;
}

}  // namespace nz::lab
