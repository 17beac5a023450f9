#pragma once
#include <algorithm>
#include <cstddef>
#include <cstring>

#include <nonzero/nonzero.h>
#include <nonzero/solve.hpp>

#include "c/options.hpp"

// How solvers and their callers hear of each other.
namespace nz::c {

// The caller's callback, of options that have one.
template <class Options>
solve::Callback callback_of(const Options& o) {
  if (!o.callback) return {};
  return [call = o.callback, data = o.callback_data](int iteration, double residual) {
    return call(iteration, residual, data) == 0;
  };
}

// What a solver has to tell, in the caller's struct and array; either may be missing.
class Report {
 public:
  template <class Options>
  Report(nz_solve_result* result, const Options& o)
      : result_(result), history_(o.history), room_(static_cast<std::size_t>(o.history_room)) {
    if (result)
      check_size(result->size, first_solve_result, sizeof(nz_solve_result),
                 alignof(nz_solve_result), "nz_solve_result");
  }

  void tell(const solve::Result& r) const {
    std::copy_n(r.history.begin(), std::min(room_, r.history.size()), history_);
    if (!result_) return;
    nz_solve_result to{};
    to.size = result_->size;
    to.reason = static_cast<nz_stop>(r.reason);
    to.converged = r.ok();
    to.iterations = r.iterations;
    to.replayed = r.replayed;
    to.residual = r.residual;
    to.seconds = r.seconds;
    to.history_length = static_cast<std::int64_t>(r.history.size());
    std::memcpy(to.message, r.message.data(), std::min(r.message.size(), sizeof to.message - 1));
    std::memcpy(result_, &to, to.size);
  }

 private:
  nz_solve_result* result_;
  double* history_;
  std::size_t room_;
};

}  // namespace nz::c
