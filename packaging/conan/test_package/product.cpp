// A product whose result is known, and a file that is written and read: it needs what the library
// is linked with.
#include <cstdio>
#include <vector>

#include <nonzero/nonzero.hpp>

int main() {
  const auto from = nz::generate("grid:points=5,nx=30,ny=20").matrix;
  nz::write_matrix("product.mtx.gz", from.view());
  const auto plan = nz::plan(nz::read_matrix<double, std::int32_t>("product.mtx.gz"));
  std::remove("product.mtx.gz");
  const std::vector<double> x(600, 1.0);
  std::vector<double> y(600, 9.0);
  plan.multiply(1.0, x, 0.0, y);
  // Rows of the 5-point Laplacian sum up to the neighbours that are missing.
  for (int i = 0; i < 600; ++i) {
    const int missing = (i % 30 == 0) + (i % 30 == 29) + (i < 30) + (i >= 570);
    if (y[static_cast<std::size_t>(i)] != missing) {
      std::printf("row %d is %g, not %d\n", i, y[static_cast<std::size_t>(i)], missing);
      return 1;
    }
  }
  std::printf("nonzero %s: the product is right\n", plan.kernel().id().c_str());
}
