#include <nonzero/error.hpp>
#include <nonzero/formats.hpp>

#include "formats/figures.hpp"
#include "formats/messages.hpp"

// As validate_test.cpp, for the formats with filled zeros.
namespace nz {
namespace {

TEST(Validate, Bsr) {
  using M = Bsr<double, std::int32_t>;
  const M a =
      bsr_from_csr(figure_matrix().view(), 4, 4, 6);  // 2 x 2 blocks, 2 rows and columns over
  expect<M>(
      a, [](M& b) { b.cols = -1; }, "BSR: negative shape 6 x -1");
  expect<M>(
      a, [](M& b) { b.block_rows = 0; }, "BSR: blocks of 0 x 4");
  expect<M>(
      a, [](M& b) { b.block_cols = -3; }, "BSR: blocks of 4 x -3");
  expect<M>(
      a, [](M& b) { b.rows = 9; }, "BSR: offsets has 3 elements, needs 4");
  expect<M>(
      a, [](M& b) { b.values.truncate(63); },
      "BSR: values has 63 elements, needs 4 blocks of 4 x 4");
  expect<M>(
      a, [](M& b) { b.columns.truncate(3); },
      "BSR: values has 64 elements, needs 3 blocks of 4 x 4");
  expect<M>(
      a,
      [](M& b) {
        b.block_rows = b.block_cols = 1 << 30, b.offsets = {0, 4};
      },
      "BSR: values has 64 elements, needs 4 blocks of 1073741824 x 1073741824");
  expect<M>(
      a, [](M& b) { b.offsets[0] = 2; }, "BSR: offsets start at 2, not 0");
  expect<M>(
      a, [](M& b) { b.offsets[1] = 5; },
      "BSR: block row 1 ends at 4, before its start 5 (counting from 0)");
  expect<M>(
      a, [](M& b) { b.offsets[2] = 3; }, "BSR: offsets end at 3, but there are 4 entries");
  expect<M>(
      a, [](M& b) { b.columns[3] = 2; },
      "BSR: block row 1, entry 3: index 2 is outside 0 to 1 (counting from 0)");
  expect<M>(
      a, [](M& b) { b.columns[1] = 0; },
      "BSR: block row 0, entry 1: index 0 does not follow 0 (counting from 0)");
  expect<M>(
      a, [](M& b) { b.values[16 + 2] = 9; },
      "BSR: block row 0, block 1: value 9 at (0, 2) is outside the matrix (counting from 0)");
  expect<M>(
      a, [](M& b) { b.values[2 * 16 + 2 * 4 + 1] = 9; },
      "BSR: block row 1, block 2: value 9 at (2, 1) is outside the matrix (counting from 0)");
  expect<M>(
      a, [](M& b) { b.entries = 11; },
      "BSR: 11 entries recorded, but 12 values of 64 are not zero");
  expect<M>(
      a, [](M& b) { b.entries = 65; },
      "BSR: 65 entries recorded, but 12 values of 64 are not zero");
}

TEST(Validate, Dia) {
  using M = Dia<double>;
  const M a = dia_from_csr(figure_matrix().view(), 4);  // offsets -4 -2 -1 0 1 3 4 5
  expect<M>(
      a, [](M& b) { b.rows = -1; }, "DIA: negative shape -1 x 6");
  expect<M>(
      a, [](M& b) { b.rows = 5; }, "DIA: values has 48 elements, needs 40");
  expect<M>(
      a, [](M& b) { b.offsets.truncate(7); }, "DIA: values has 48 elements, needs 42");
  expect<M>(
      a, [](M& b) { b.offsets[0] = -6; }, "DIA: diagonal 0: offset -6 is outside -5 to 5");
  expect<M>(
      a, [](M& b) { b.offsets[7] = 6; }, "DIA: diagonal 7: offset 6 is outside -5 to 5");
  expect<M>(
      a, [](M& b) { b.offsets[3] = -1; }, "DIA: diagonal 3: offset -1 does not follow -1");
  expect<M>(
      a, [](M& b) { b.values[3] = 2; },
      "DIA: diagonal 0 (offset -4), row 3: value 2 is outside the matrix (counting from 0)");
  expect<M>(
      a, [](M& b) { b.values[7 * 6 + 1] = 2; },
      "DIA: diagonal 7 (offset 5), row 1: value 2 is outside the matrix (counting from 0)");
  expect<M>(
      a, [](M& b) { b.entries = 3; }, "DIA: 3 entries recorded, but 12 values of 48 are not zero");
  expect<M>(
      a, [](M& b) { b.entries = -1; },
      "DIA: -1 entries recorded, but 12 values of 48 are not zero");
}

}  // namespace
}  // namespace nz
