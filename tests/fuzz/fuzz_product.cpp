// The bytes choose a matrix, a plan and products of it: each must be refused as documented, or
// right within its bound.
#include "fuzz/small_cases.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  nz::trials::Draw draw(std::span(data, size));
  nz::trials::Case c = draw_case(draw, nz::fuzz::small_cases());
  c.update = nz::trials::Update::none;
  nz::fuzz::run(c);
  return 0;
}
