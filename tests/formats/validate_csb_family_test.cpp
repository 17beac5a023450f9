#include <limits>

#include <nonzero/formats.hpp>

#include "formats/figures.hpp"
#include "formats/messages.hpp"

// As validate_test.cpp, for the CSB family of izawa2023.
namespace nz {
namespace {

TEST(Validate, CsbBaseline) {
  using M = CsbBaseline<double, std::int32_t>;
  const M a = csb_baseline_from_csr(letters_matrix().view(), 2);
  expect<M>(
      a, [](M& b) { b.rows = -1; }, "CSB-baseline: negative shape -1 x 8");
  expect<M>(
      a, [](M& b) { b.digits = 16; }, "CSB-baseline: blocks of 2^16");
  expect<M>(
      a, [](M& b) { b.digits = -1; }, "CSB-baseline: blocks of 2^-1");
  expect<M>(
      a, [](M& b) { b.cols = 9; }, "CSB-baseline: offsets has 17 elements, needs 21");
  expect<M>(
      a, [](M& b) { b.values.truncate(5); }, "CSB-baseline: values has 5 elements, needs 26");
  expect<M>(
      a, [](M& b) { b.offsets[0] = 1; }, "CSB-baseline: offsets start at 1, not 0");
  expect<M>(
      a, [](M& b) { b.offsets[3] = 5; },
      "CSB-baseline: block 2 ends at 5, before its start 6 (counting from 0)");
  expect<M>(
      a, [](M& b) { b.offsets[16] = 27; },
      "CSB-baseline: offsets end at 27, but there are 26 entries");
  expect<M>(
      a, [](M& b) { b.places[3] = 4; },
      "CSB-baseline: block 0, entry 3: place (2, 0) is outside 2 x 2");
  expect<M>(
      a, [](M& b) { b.places[3] = padding_place; },
      "CSB-baseline: block 0, entry 3: place (2147483647, 1) is outside 2 x 2");
  expect<M>(
      a, [](M& b) { b.places[3] = 2; }, "CSB-baseline: block 0, entry 3: not in Morton order");
  expect<M>(
      a, [](M& b) { b.cols = 7; },
      "CSB-baseline: block 3, entry 10: place (0, 1) is outside 2 x 1");
}

TEST(Validate, Ecsb) {
  using M = Ecsb<double, std::int32_t>;
  // Rows of blocks with 12, 3, 6 and 5 entries, 6 slots each.
  const M a = ecsb_from_csr(letters_matrix().view(), 2, EcsbChoice::by_rule, {3, 0});
  expect<M>(
      a, [](M& b) { b.cols = -1; }, "eCSB: negative shape 8 x -1");
  expect<M>(
      a, [](M& b) { b.width = -1; }, "eCSB: -1 slots a row of blocks");
  expect<M>(
      a, [](M& b) { b.width = 5; }, "eCSB: ell.values has 24 elements, needs 4 x 5");
  expect<M>(
      a, [](M& b) { b.ell.blocks.truncate(3); }, "eCSB: ell.blocks has 3 elements, needs 24");
  expect<M>(
      a, [](M& b) { b.coo.places.truncate(3); }, "eCSB: coo.places has 3 elements, needs 6");
  expect<M>(
      a, [](M& b) { b.offsets.truncate(4); }, "eCSB: offsets has 4 elements, needs 5");
  expect<M>(
      a, [](M& b) { b.offsets[2] = 3; },
      "eCSB: block row 1 ends at 3, before its start 6 (counting from 0)");
  expect<M>(
      a, [](M& b) { b.offsets[1] = 5; }, "eCSB: block row 1, entry 3: block (0, 3) is not of it");
  expect<M>(
      a, [](M& b) { b.ell.blocks[4] = 4; },
      "eCSB: block row 0, entry 1: block (1, 0) is not of it");
  expect<M>(
      a, [](M& b) { b.ell.places[4] = 4; },
      "eCSB: block 0, entry 1: place (2, 0) is outside 2 x 2");
  expect<M>(
      a, [](M& b) { b.ell.places[4] = 0; }, "eCSB: block 0, entry 1: not in Morton order");
  expect<M>(
      a, [](M& b) { b.coo.blocks[0] = 0; }, "eCSB: block row 0, entry 6: block 0 follows 1");
  expect<M>(
      a, [](M& b) { b.ell.places[20] = padding_place; },
      "eCSB: block row 0 has padding, but 6 entries in COO");
  expect<M>(
      a, [](M& b) { b.ell.places[17] = 0; }, "eCSB: block row 1, slot 4 should be padding");
  expect<M>(
      a, [](M& b) { b.ell.values[13] = 1; }, "eCSB: block row 1, slot 3 should be padding");
  expect<M>(
      a, [](M& b) { b.entries = 25; }, "eCSB: 25 entries recorded, but 26 stored");
}

TEST(Validate, Gcsb) {
  using M = Gcsb<double, std::int32_t>;
  const M a = gcsb_from_csr(letters_matrix().view(), 2, 4);
  expect<M>(
      a, [](M& b) { b.rows = -8; }, "GCSB: negative shape -8 x 8");
  expect<M>(
      a, [](M& b) { b.digits = 31; }, "GCSB: blocks of 2^31");
  expect<M>(
      a, [](M& b) { b.group_size = 0; }, "GCSB: groups of 0 blocks");
  expect<M>(
      a, [](M& b) { b.group_size = 5; }, "GCSB: group 0 ends at 16, not a multiple of 5");
  expect<M>(
      a, [](M& b) { b.group_size = 8; }, "GCSB: offsets has 5 elements, needs 3");
  expect<M>(
      a, [](M& b) { b.numbers.truncate(15); }, "GCSB: numbers has 15 elements, needs 16");
  expect<M>(
      a, [](M& b) { b.places.truncate(31); }, "GCSB: values has 32 elements, needs 31");
  expect<M>(
      a, [](M& b) { b.offsets[2] = 12; },
      "GCSB: group 1 ends at 12, before its start 16 (counting from 0)");
  expect<M>(
      a, [](M& b) { b.numbers[5] = 16; }, "GCSB: block 5 has the number 16, outside 0 to 15");
  expect<M>(
      a, [](M& b) { b.numbers[5] = -1; }, "GCSB: block 5 has the number -1, outside 0 to 15");
  expect<M>(
      a, [](M& b) { b.numbers[5] = 14; }, "GCSB: block 5 has the number 14 again");
  expect<M>(
      a, [](M& b) { std::swap(b.numbers[1], b.numbers[0]); },
      "GCSB: block 0 with 4 entries follows block 9 with 4");
  expect<M>(
      a, [](M& b) { b.places[12] = padding_place; },
      "GCSB: group 0 begins with a block of 3 entries, but has 4");
  expect<M>(
      a, [](M& b) { b.places[4] = 9; }, "GCSB: block 0, entry 4: place (4, 1) is outside 2 x 2");
  expect<M>(
      a, [](M& b) { b.places[4] = 0; }, "GCSB: block 0, entry 4: not in Morton order");
  expect<M>(
      a, [](M& b) { b.places[17] = padding_place; }, "GCSB: slot 17 should be padding");
  expect<M>(
      a, [](M& b) { b.values[27] = std::numeric_limits<double>::quiet_NaN(); },
      "GCSB: slot 27 should be padding");
  expect<M>(
      a, [](M& b) { b.entries = 27; }, "GCSB: 27 entries recorded, but 26 stored");
  expect<M>(
      M{}, [](M& b) { b.entries = 1; }, "GCSB: 1 entries recorded, but 0 stored");
}

}  // namespace
}  // namespace nz
