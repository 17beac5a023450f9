#include <limits>

#include <nonzero/error.hpp>
#include <nonzero/formats.hpp>

#include "formats/figures.hpp"
#include "formats/messages.hpp"

// Arrays that contradict each other, and what validate() says of them. Each case spoils a good
// matrix in one way.
namespace nz {
namespace {

TEST(Validate, Csr) {
  using M = Csr<double, std::int32_t>;
  const M a = figure_matrix();
  expect<M>(
      a, [](M& b) { b.rows = -1; }, "CSR: negative shape -1 x 6");
  expect<M>(
      a, [](M& b) { b.cols = -2; }, "CSR: negative shape 6 x -2");
  expect<M>(
      a, [](M& b) { b.rows = 7; }, "CSR: offsets has 7 elements, needs 8");
  expect<M>(
      a, [](M& b) { b.offsets = {}; }, "CSR: offsets has 0 elements, needs 7");
  expect<M>(
      a, [](M& b) { b.values.truncate(11); }, "CSR: values has 11 elements, needs 12");
  expect<M>(
      a, [](M& b) { b.columns.truncate(11); }, "CSR: values has 12 elements, needs 11");
  expect<M>(
      a, [](M& b) { b.offsets[0] = 1; }, "CSR: offsets start at 1, not 0");
  expect<M>(
      a, [](M& b) { b.offsets[2] = 9; },
      "CSR: row 2 ends at 8, before its start 9 (counting from 0)");
  expect<M>(
      a, [](M& b) { b.offsets[3] = -1; },
      "CSR: row 2 ends at -1, before its start 7 (counting from 0)");
  expect<M>(
      a, [](M& b) { b.offsets[6] = 13; }, "CSR: offsets end at 13, but there are 12 entries");
  expect<M>(
      a, [](M& b) { b.offsets[6] = std::numeric_limits<std::int32_t>::max(); },
      "CSR: offsets end at 2147483647, but there are 12 entries");
  expect<M>(
      a, [](M& b) { b.offsets[6] = -5; },
      "CSR: row 5 ends at -5, before its start 10 (counting from 0)");
  expect<M>(
      a, [](M& b) { b.columns[5] = 6; },
      "CSR: row 1, entry 5: index 6 is outside 0 to 5 (counting from 0)");
  expect<M>(
      a, [](M& b) { b.columns[5] = -1; },
      "CSR: row 1, entry 5: index -1 is outside 0 to 5 (counting from 0)");
  expect<M>(
      a, [](M& b) { b.columns[9] = 1; },
      "CSR: row 3, entry 9: index 1 does not follow 1 (counting from 0)");
  expect<M>(
      a, [](M& b) { b.columns[3] = 2; },
      "CSR: row 0, entry 3: index 2 does not follow 4 (counting from 0)");
}

TEST(Validate, CsrView) {
  CsrView<double, std::int32_t> a{2, 2, 0};
  EXPECT_EQ(message_of<BadInput>([&] { validate(a); }), "CSR: no offsets");
  const std::int32_t offsets[] = {0, 1, 1};
  a = {2, 2, 1, offsets};
  EXPECT_EQ(message_of<BadInput>([&] { validate(a); }), "CSR: no columns or values");
  a.nnz = 2;
  EXPECT_EQ(message_of<BadInput>([&] { validate(a); }),
            "CSR: offsets end at 1, but there are 2 entries");
}

TEST(Validate, Coo) {
  using M = Coo<double>;
  const M a = coo_from_csr(figure_matrix().view());
  expect<M>(
      a, [](M& b) { b.rows = -6; }, "COO: negative shape -6 x 6");
  expect<M>(
      a, [](M& b) { b.row.truncate(3); }, "COO: row has 3 elements, needs 12");
  expect<M>(
      a, [](M& b) { b.column = {}; }, "COO: column has 0 elements, needs 12");
  expect<M>(
      a, [](M& b) { b.row[11] = 6; }, "COO: entry 11: row 6 is outside 0 to 5 (counting from 0)");
  expect<M>(
      a, [](M& b) { b.row[0] = -1; }, "COO: entry 0: row -1 is outside 0 to 5 (counting from 0)");
  expect<M>(
      a, [](M& b) { b.column[7] = 6; },
      "COO: entry 7: column 6 is outside 0 to 5 (counting from 0)");
  expect<M>(
      a, [](M& b) { b.row[7] = 0; },
      "COO: entry 7: (0, 1) does not follow (1, 4) (counting from 0)");
  expect<M>(
      a, [](M& b) { b.column[2] = 1; },
      "COO: entry 2: (0, 1) does not follow (0, 1) (counting from 0)");
}

TEST(Validate, Csc) {
  using M = Csc<double, std::int32_t>;
  const M a = csc_from_csr(figure_matrix().view());
  expect<M>(
      a, [](M& b) { b.cols = -6; }, "CSC: negative shape 6 x -6");
  expect<M>(
      a, [](M& b) { b.cols = 5; }, "CSC: offsets has 7 elements, needs 6");
  expect<M>(
      a, [](M& b) { b.values.truncate(1); }, "CSC: values has 1 elements, needs 12");
  expect<M>(
      a, [](M& b) { b.offsets[0] = -1; }, "CSC: offsets start at -1, not 0");
  expect<M>(
      a, [](M& b) { b.offsets[1] = 7; },
      "CSC: column 1 ends at 6, before its start 7 (counting from 0)");
  expect<M>(
      a, [](M& b) { b.offsets[6] = 11; }, "CSC: offsets end at 11, but there are 12 entries");
  expect<M>(
      a, [](M& b) { b.rows = 5; },
      "CSC: column 1, entry 5: index 5 is outside 0 to 4 (counting from 0)");
  expect<M>(
      a, [](M& b) { b.row[3] = 0; },
      "CSC: column 1, entry 3: index 0 does not follow 0 (counting from 0)");
}

TEST(Validate, Dcsr) {
  using M = Dcsr<double, std::int32_t>;
  // Rows 1, 4 and 5 of 7.
  const M a{7, 6, {1, 4, 5}, {0, 2, 3, 5}, {0, 3, 5, 1, 2}, {1., 2., 3., 4., 5.}};
  expect<M>(
      a, [](M& b) { b.rows = -7; }, "DCSR: negative shape -7 x 6");
  expect<M>(
      a, [](M& b) { b.offsets.truncate(3); }, "DCSR: offsets has 3 elements, needs 4");
  expect<M>(
      a, [](M& b) { b.values.truncate(1); }, "DCSR: values has 1 elements, needs 5");
  expect<M>(
      a, [](M& b) { b.offsets[3] = 4; }, "DCSR: offsets end at 4, but there are 5 entries");
  expect<M>(
      a, [](M& b) { b.rows = 5; }, "DCSR: listed row 2 is row 5 of 5 (counting from 0)");
  expect<M>(
      a, [](M& b) { b.row[0] = -1; }, "DCSR: listed row 0 is row -1 of 7 (counting from 0)");
  expect<M>(
      a, [](M& b) { b.row[1] = 1; },
      "DCSR: listed row 1: row 1 does not follow row 1 (counting from 0)");
  expect<M>(
      a, [](M& b) { b.offsets[1] = 3; }, "DCSR: listed row 1 has no entries (counting from 0)");
  expect<M>(
      a, [](M& b) { b.cols = 5; },
      "DCSR: listed row 1, entry 2: index 5 is outside 0 to 4 (counting from 0)");
  expect<M>(
      a, [](M& b) { b.columns[4] = 1; },
      "DCSR: listed row 2, entry 4: index 1 does not follow 1 (counting from 0)");
}

}  // namespace
}  // namespace nz
