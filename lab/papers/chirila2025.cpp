#include "lab/papers/chirila2025.hpp"

#include <stdexcept>

namespace nz::lab::chirila2025 {
namespace {

using Lines = std::vector<std::pair<std::string, Figures>>;

Figures by_threads(const std::vector<double>& seconds) {
  Figures all;
  for (std::size_t k = 0; k < seconds.size(); ++k) all.emplace(std::to_string(1 << k), seconds[k]);
  return all;
}

Figures by_chunks(const std::vector<double>& seconds) {
  constexpr const char* chunks[] = {"1", "8", "32", "64", "128", "256", "512", "1024", "2048"};
  Figures all;
  for (std::size_t k = 0; k < seconds.size(); ++k) all.emplace(chunks[k], seconds[k]);
  return all;
}

}  // namespace

Lines table(int number) {
  switch (number) {
    case 1:
      return {
          {"SciPy", by_threads({8.55})},
          {"NumPy", by_threads({25.20, 13.68, 8.48, 6.19, 5.31, 4.40, 7.64})},
          {"Granular Row", by_threads({8.55, 4.73, 2.64, 1.94, 1.41, 1.19, 1.24})},
          {"Naive Intra-Row Splits", by_threads({9.25, 7.01, 6.51, 8.85, 16.95, 33.53, 139.97})},
          {"Improved Intra-Row Splits", by_threads({8.41, 4.83, 2.76, 2.11, 2.25, 2.62, 3.06})},
          {"Fixed Maximum Task Size", by_threads({8.37, 4.77, 2.68, 1.99, 1.52, 1.41, 1.73})},
          {"Fixed-Size Tasks", by_threads({7.92, 4.23, 2.34, 1.41, 0.93, 0.83, 0.85})},
          {"Preprocessed Fixed-Size Tasks",
           by_threads({7.84, 4.24, 2.35, 1.41, 0.92, 0.82, 0.85})}};
    case 2:
      return {{"Improved Intra-Row Splits",
               by_chunks({2.57, 2.61, 2.62, 2.62, 2.62, 3.55, 4.89, 5.60, 6.26})},
              {"Fixed Maximum Task Size",
               by_chunks({1.08, 1.18, 1.34, 1.40, 1.40, 1.54, 1.62, 1.33, 1.65})},
              {"Fixed-Size Tasks",
               by_chunks({0.81, 0.83, 0.90, 1.06, 4.30, 9.41, 19.50, 40.27, 81.13})},
              {"Preprocessed Fixed-Size Tasks",
               by_chunks({0.80, 0.82, 0.89, 1.02, 1.17, 1.27, 1.19, 1.04, 1.98})}};
    case 3:
      return {
          {"Improved Intra-Row Splits",
           by_chunks({2.52, 2.49, 2.38, 2.32, 2.27, 2.26, 2.87, 3.37, 3.93})},
          {"Fixed Maximum Task Size",
           by_chunks({1.05, 1.10, 1.30, 1.40, 1.51, 1.52, 1.53, 1.56, 1.63})},
          {"Fixed-Size Tasks", by_chunks({0.91, 0.92, 0.97, 1.09, 1.26, 1.43, 3.30, 9.32, 19.28})},
          {"Preprocessed Fixed-Size Tasks",
           by_chunks({0.91, 0.91, 0.96, 1.09, 1.29, 1.45, 1.40, 1.30, 1.26})}};
    case 5:
      return {
          {"Preprocessed Fixed-Size Tasks", by_threads({7.84, 4.24, 2.35, 1.41, 0.92, 0.82, 0.85})},
          {"Adapted for GPU Porting", by_threads({47.38, 23.70, 11.86, 6.11, 3.16, 3.15, 3.26})}};
    default:
      throw std::out_of_range("chirila2025: no such table");
  }
}

}  // namespace nz::lab::chirila2025
