// The bytes choose a plan, and then other values or another structure: taken and right, or refused
// and the plan as it was.
#include "fuzz/small_cases.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using nz::trials::Update;
  nz::trials::Draw draw(std::span(data, size));
  constexpr Update updates[] = {Update::values, Update::owned, Update::in_place, Update::structure};
  const Update update = draw.pick(updates);
  nz::trials::Case c = draw_case(draw, nz::fuzz::small_cases());
  c.update = update;
  c.multiplies.resize(1);
  nz::fuzz::run(c);
  return 0;
}
