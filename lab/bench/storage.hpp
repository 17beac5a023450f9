#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/bench/source.hpp"

namespace nz::lab {

// What a matrix takes in one storage format, in double precision.
struct Storage {
  std::string format;  // "csr", "bsr 2x2"
  std::size_t bytes = 0;
  double ratio = 0;              // to the bytes of CSR
  double slots_per_nonzero = 1;  // above 1: padding and fill
  std::string refused;           // why the format declines the matrix; empty when it does not
};

// One line for each format of <nonzero/formats.hpp>. `tell` hears which comes next.
std::vector<Storage> storage(
    const Narrowed& a,
    const std::function<void(std::string_view format, int done, int total)>& tell = {});

}  // namespace nz::lab
