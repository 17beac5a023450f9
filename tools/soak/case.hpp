#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nonzero/plan.hpp>

#include "soak/draw.hpp"
#include "soak/matrix.hpp"

// A case is one plan and what is done with it, drawn from a seed or from the bytes of a fuzzer; the
// same seed gives the same case. Both the soak and the fuzz targets are made of these.
namespace nz::trials {

enum class Scale : char { ordinary, extreme, non_finite };  // of scalars, and of x, y and values
enum class Arrays : char { borrowed, moved, on_device };    // whose the matrix is
enum class Update : char { none, values, in_place, owned, structure };

// One call of multiply().
struct Multiply {
  Op op = Op::none;
  double alpha = 1, beta = 0;
  Scale x = Scale::ordinary, y = Scale::ordinary;
  bool device_spans = false;
  std::uint64_t seed = 0;
};

struct Case {
  Drawn drawn;
  ValueType type = ValueType::f64;
  bool wide_offsets = false;
  PlanOptions options;
  Arrays arrays = Arrays::borrowed;
  bool disordered = false;  // rows unsorted, some entries given in parts
  Scale values = Scale::ordinary;
  Update update = Update::none;
  std::vector<Multiply> multiplies;
  int sharing = 1;  // threads that multiply by the one plan at once
  std::uint64_t seed = 0;

  std::string text() const;
};

// What cases may be like. A fuzzer wants small ones.
struct Limits {
  std::vector<std::string> devices = {"cpu"};
  index_t rows = 2000;
  std::int64_t nonzeros = 40'000;
  // On the emulator, which takes a thousand times as long.
  index_t emulated_rows = 150;
  std::int64_t emulated_nonzeros = 1500;
  std::string tuning_folder{};  // empty: thorough plans remember nothing
  bool thorough = true;
  bool extreme = true;
  bool disordered = true;
  bool sharing = true;
};

Case draw_case(Draw& draw, const Limits& limits);

}  // namespace nz::trials
