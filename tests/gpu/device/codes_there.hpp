#pragma once
#include <cstdint>
#include <vector>

#include <nonzero/formats/value_code.hpp>

namespace nz::test {

template <class T>
struct CodedThere {
  ValueCode code = ValueCode::full;
  int different = 0;
  std::vector<T> table;
  std::vector<std::uint8_t> stored;  // n values in their code
};

}  // namespace nz::test

// Both homes of values that lie on the current device, coded there, and fetched.
#define NZ_CODES_THERE \
  template <class T>   \
  test::CodedThere<T> codes_there(const T* values, std::int64_t n, bool shorts);
namespace nz::cuda {
NZ_CODES_THERE
}
namespace nz::emulated {
NZ_CODES_THERE
}
#undef NZ_CODES_THERE
