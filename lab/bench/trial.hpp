#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lab/bench/measure.hpp"
#include "lab/bench/source.hpp"

namespace nz::lab {

// One kernel on one matrix for one op: checked, then timed. A wrong result gets no time; what was
// refused stays, with the reason.
struct Trial {
  enum class Outcome { right, wrong, refused, no_resource };
  const Kernel* kernel = nullptr;
  std::string matrix;
  Op op = Op::none;
  Outcome outcome = Outcome::right;
  std::string reason;
  double worst_error = 0;  // as a share of its bound
  double prepare_seconds = 0;
  std::size_t bytes = 0;    // of the prepared matrix
  std::size_t traffic = 0;  // what one product must move, by the kernel's byte model
  double seconds = 0;       // median of one product
  int samples = 0;
  double bytes_per_second = 0;  // traffic / seconds
};

std::string_view name(Trial::Outcome o);

// One trial for each op that the kernel supports, in double precision; one for all when refused.
std::vector<Trial> try_kernel(const Kernel& kernel, const std::string& name, const Narrowed& a,
                              const Budget& budget);

}  // namespace nz::lab
