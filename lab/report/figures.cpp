#include "lab/report/figures.hpp"

#include <fmt/format.h>

#include "lab/report/text.hpp"

namespace nz::lab {

std::string Figure::id() const {
  std::string all = kind + (variant.empty() ? "" : "-" + variant);
  for (char& c : all)
    if (c == ' ') c = '-';
  return all;
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

Figures all_figures(const Run& run) {
  Figures all;
  for (auto* make : {speedup_figures, roofline_figures, profile_figures, bars_figures,
                     memory_figures, setup_figures, break_even_figures})
    for (Figure& f : make(run)) all.push_back(std::move(f));
  return all;
}

}  // namespace nz::lab
