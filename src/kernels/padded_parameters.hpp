#pragma once
#include <vector>

#include <nonzero/formats/ell.hpp>
#include <nonzero/formats/hyb.hpp>
#include <nonzero/formats/sell.hpp>
#include <nonzero/kernel.hpp>

// What the kernels on ELL, SELL and HYB share, wherever they run: their parameters, and the matrix
// by them.
namespace nz {

inline Parameter max_ratio_parameter() {
  return {"max_ratio", "most slots a nonzero", 3, 1, 1'000'000'000};
}
inline std::vector<Parameter> ell_parameters() { return {max_ratio_parameter()}; }
inline std::vector<Parameter> sell_parameters() {
  return {{"chunk", "rows of a slice", 32, 1, 1 << 20},
          {"sigma", "rows sorted by length together", 1024, 1, 2'147'483'647},
          max_ratio_parameter()};
}
inline std::vector<Parameter> hyb_parameters() {
  return {{"relative_speed", "ELL gets a slot a row that 1 in so many rows fill", 3, 1, 1000},
          {"breakeven_rows", "and that at least so many rows fill", 4096, 0, 2'147'483'647}};
}

template <Value T, Offset O>
Ell<T> to_ell(const CsrView<T, O>& a, const Parameters& p) {
  return ell_from_csr(a, static_cast<double>(p.at("max_ratio")));
}

template <Value T, Offset O>
Sell<T, O> to_sell(const CsrView<T, O>& a, const Parameters& p) {
  return sell_from_csr(a, static_cast<index_t>(p.at("chunk")), static_cast<index_t>(p.at("sigma")),
                       static_cast<double>(p.at("max_ratio")));
}

template <Value T, Offset O>
Hyb<T> to_hyb(const CsrView<T, O>& a, const Parameters& p) {
  return hyb_from_csr(a, {.relative_speed = static_cast<double>(p.at("relative_speed")),
                          .breakeven_rows = static_cast<index_t>(p.at("breakeven_rows"))});
}

}  // namespace nz
