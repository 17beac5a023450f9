#include <limits>

#include <nonzero/error.hpp>
#include <nonzero/formats.hpp>

#include "formats/figures.hpp"
#include "formats/messages.hpp"

// As validate_test.cpp, for the formats with padding.
namespace nz {
namespace {

TEST(Validate, Ell) {
  using M = Ell<double>;
  const M a = ell_from_csr(figure_matrix().view());
  const auto slot = [&](index_t i, index_t s) { return a.view().slot(i, s); };
  expect<M>(
      a, [](M& b) { b.cols = -1; }, "ELL: negative shape 6 x -1");
  expect<M>(
      a, [](M& b) { b.width = -4; }, "ELL: negative width -4");
  expect<M>(
      a, [](M& b) { b.width = 5; }, "ELL: columns has 24 elements, needs 30");
  expect<M>(
      a, [](M& b) { b.values.truncate(20); }, "ELL: values has 20 elements, needs 24");
  expect<M>(
      a, [&](M& b) { b.columns[slot(3, 1)] = 6; },
      "ELL: row 3, slot 1: index 6 is outside 0 to 5 (counting from 0)");
  expect<M>(
      a, [&](M& b) { b.columns[slot(3, 1)] = -2; },
      "ELL: row 3, slot 1: index -2 is outside 0 to 5 (counting from 0)");
  expect<M>(
      a, [&](M& b) { b.columns[slot(1, 2)] = 2; },
      "ELL: row 1, slot 2: index 2 does not follow 2 (counting from 0)");
  expect<M>(
      a, [&](M& b) { b.columns[slot(2, 2)] = 3; },
      "ELL: row 2, slot 2: index 3 stands after padding (counting from 0)");
  expect<M>(
      a, [&](M& b) { b.values[slot(4, 3)] = 8; },
      "ELL: row 4, slot 3: padding has value 8 (counting from 0)");
  expect<M>(
      a, [&](M& b) { b.values[slot(4, 0)] = std::numeric_limits<double>::quiet_NaN(); },
      "ELL: row 4, slot 0: padding has value nan (counting from 0)");
  expect<M>(
      a, [](M& b) { b.entries = 13; }, "ELL: 13 entries recorded, but 12 stored");
  expect<M>(
      M{}, [](M& b) { b.entries = 1; }, "ELL: 1 entries recorded, but 0 stored");
}

TEST(Validate, Sell) {
  using M = Sell<double, std::int32_t>;
  const M a = sell_from_csr(figure_matrix().view(), 2, 4);  // rows 0 1 | 3 2 | 5 4
  expect<M>(
      a, [](M& b) { b.rows = -1; }, "SELL: negative shape -1 x 6");
  expect<M>(
      a, [](M& b) { b.chunk = 0; }, "SELL: chunk 0 and sigma 4 must be at least 1");
  expect<M>(
      a, [](M& b) { b.sigma = -1; }, "SELL: chunk 2 and sigma -1 must be at least 1");
  expect<M>(
      a, [](M& b) { b.permutation.truncate(5); }, "SELL: permutation has 5 elements, needs 6");
  expect<M>(
      a, [](M& b) { b.chunk = 3; }, "SELL: offsets has 4 elements, needs 3");
  expect<M>(
      a, [](M& b) { b.columns.truncate(3); }, "SELL: columns has 3 elements, needs 16");
  expect<M>(
      a, [](M& b) { b.offsets[1] = 14; },
      "SELL: slice 1 ends at 12, before its start 14 (counting from 0)");
  expect<M>(
      a, [](M& b) { b.offsets[3] = 18; }, "SELL: offsets end at 18, but there are 16 entries");
  expect<M>(
      a, [](M& b) { b.offsets[1] = 7; }, "SELL: slice 0: 7 slots are no multiple of 2 lanes");
  expect<M>(
      a, [](M& b) { b.permutation[2] = 6; },
      "SELL: position 2: row 6 is outside its window (counting from 0)");
  expect<M>(  // as far from the end as its window would allow
      a, [](M& b) { b.permutation[4] = 6; },
      "SELL: position 4: row 6 is outside its window (counting from 0)");
  expect<M>(
      a, [](M& b) { b.permutation[2] = -1; },
      "SELL: position 2: row -1 is outside its window (counting from 0)");
  expect<M>(
      a, [](M& b) { b.permutation[3] = 4; },
      "SELL: position 3: row 4 is outside its window (counting from 0)");
  expect<M>(
      a, [](M& b) { b.permutation[3] = 1; },
      "SELL: position 3: row 1 comes twice (counting from 0)");
  expect<M>(
      a, [](M& b) { b.columns[10] = 6; },
      "SELL: row 3, slot 1: index 6 is outside 0 to 5 (counting from 0)");
  expect<M>(
      a, [](M& b) { b.columns[10] = 0; },
      "SELL: row 3, slot 1: index 0 does not follow 1 (counting from 0)");
  expect<M>(
      a, [](M& b) { b.columns[15] = 2; },
      "SELL: row 4, slot 1: index 2 stands after padding (counting from 0)");
  expect<M>(
      a, [](M& b) { b.values[11] = 1; },
      "SELL: row 2, slot 1: padding has value 1 (counting from 0)");
  expect<M>(
      a, [](M& b) { b.entries = 11; }, "SELL: 11 entries recorded, but 12 stored");
  const auto shorten = [](M& b, std::size_t slot) {
    b.columns[slot] = -1;
    b.values[slot] = 0;
  };
  expect<M>(
      a,
      [&](M& b) {
        shorten(b, 3);
        shorten(b, 5);
      },
      "SELL: position 2: row 3 of 2 entries stands after row 1 of 1 (counting from 0)");
  expect<M>(
      a,
      [&](M& b) {
        shorten(b, 5);
        std::swap(b.permutation[1], b.permutation[2]);
      },
      "SELL: position 2: row 1 of 2 entries stands after row 3 of 2 (counting from 0)");
}

TEST(Validate, Hyb) {
  using M = Hyb<double>;
  const M a = hyb_from_csr(figure_matrix().view(), {3, 0});  // width 3; (0, 5) is left for COO
  expect<M>(
      a, [](M& b) { b.rows = -1; }, "HYB: negative shape -1 x 6");
  expect<M>(
      a, [](M& b) { b.rows = 7; }, "HYB: the ELL part is 6 x 6, the matrix 7 x 6");
  expect<M>(
      a, [](M& b) { b.coo.cols = 5; }, "HYB: the COO part is 6 x 5, the matrix 6 x 6");
  expect<M>(
      a, [](M& b) { b.ell.columns[0] = 9; },
      "HYB: ELL: row 0, slot 0: index 9 is outside 0 to 5 (counting from 0)");
  expect<M>(
      a, [](M& b) { b.coo.row[0] = 6; },
      "HYB: COO: entry 0: row 6 is outside 0 to 5 (counting from 0)");
  expect<M>(
      a, [](M& b) { b.coo.column[0] = 4; },
      "HYB: row 0, COO entry 0: index 4 does not follow 4 in ELL (counting from 0)");
  expect<M>(
      a, [](M& b) { b.coo.row[0] = 2, b.coo.column[0] = 0; },
      "HYB: row 2, COO entry 0: index 0 does not follow 1 in ELL (counting from 0)");
}

}  // namespace
}  // namespace nz
