#pragma once
#include <nonzero/kernel.hpp>

namespace nz {

// How narrow a kernel stores values that a narrower type holds exactly, as its line in the list of
// kernels has it. A test looks for others.
enum class Narrowing : char {
  none,
  floats,  // doubles as floats
  shorts,  // and floats in 16 bits
};
Narrowing narrowing(const Kernel& kernel);

}  // namespace nz
