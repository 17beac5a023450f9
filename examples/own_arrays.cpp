#include <cstdio>
#include <vector>

#include <nonzero/nonzero.hpp>

// Arrays of your own: offsets of the rows, columns and values. They are looked at once and then
// borrowed, so they must stay where they are while the plan lives.
int main() {
  const std::vector<int> offsets{0, 2, 3, 5};
  const std::vector<nz::index_t> columns{0, 2, 1, 0, 2};
  const std::vector<double> values{4, -1, 3, -1, 5};
  const nz::CsrView<double, int> A{3, 3, 5, offsets.data(), columns.data(), values.data()};
  try {
    const auto plan = nz::plan(A);
    const std::vector<double> x{1, 2, 3};
    std::vector<double> y(3);
    plan.multiply(1.0, x, 0.0, y);
    std::printf("%g %g %g\n", y[0], y[1], y[2]);
  } catch (const nz::InvalidArgument& e) {  // a column out of range, offsets that fall: says where
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
