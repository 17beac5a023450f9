#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "plan/planned.hpp"

// A format may decline what its samples promised, because a count would not fit or its slots would
// be most of it: the plan then takes another one, and says why.
namespace nz::test {
namespace {

// A band of constant diagonals, which slices with runs store in next to nothing, and one row in it,
// in no sample, that is far longer than a slice can have.
Csr<double, std::int32_t> band_with_a_long_row(index_t n, index_t length) {
  std::vector<index_t> r, c;
  std::vector<double> v;
  const index_t odd = n / 3 + 1;
  for (index_t i = 0; i < n; ++i)
    for (index_t d = -2; d <= 2; ++d)
      if (i != odd && i + d >= 0 && i + d < n) {
        r.push_back(i);
        c.push_back(i + d);
        v.push_back(3 + d);
      }
  for (index_t k = 0; k < length; ++k) {
    r.push_back(odd);
    c.push_back(k * (n / length));
    v.push_back(1 + k % 7);
  }
  return csr_from_triplets<double, std::int32_t>(n, n, r, c, v);
}

TEST(Refusal, BecomesAnotherChoice) {
  const auto a = band_with_a_long_row(200'000, 100'000);
  // By its predictions alone, so that the first that takes the matrix is taken.
  const auto p = plan(a.view(), {.deterministic = true});
  const Explanation& e = p.explain();
  bool declined = false;
  for (const Candidate& c : e.candidates)
    if (c.why_not.starts_with("packed: ")) {
      declined = true;
      EXPECT_EQ(c.kernel->id(), "cpu/packed/slices");
    }
  ASSERT_TRUE(declined) << e.text();
  EXPECT_NE(p.kernel().id(), "cpu/packed/slices");
  EXPECT_NE(p.reason().find(", because packed: "), std::string::npos) << p.reason();
  expect_right(p, a.view());
  // By name there is no other choice.
  EXPECT_THROW(plan(a.view(), {.kernel = "cpu/packed/slices"}), Refused);
}

}  // namespace
}  // namespace nz::test
