#include <cstdio>
#include <vector>

#include <nonzero/nonzero.hpp>

// Entries in any order become CSR, CSR becomes another format and a file, and a product is checked.
int main() {
  const std::vector<nz::index_t> row{2, 0, 1, 0}, column{2, 0, 1, 2};
  const std::vector<double> value{5, 4, 3, -1};
  const auto A = nz::csr_from_triplets<double, int>(3, 3, row, column, value);
  A.validate();  // BadInput, with the row, for arrays that are no matrix

  const auto ell = nz::ell_from_csr(A.view());  // Refused where padding would be most of it
  std::printf("%zu bytes as CSR, %zu as ELL\n", A.bytes(), ell.bytes());
  nz::write_matrix("small.mtx", A.view(), "three rows");
  const auto again = nz::read_matrix<double, int>("small.mtx");

  const std::vector<double> x{1, 2, 3};
  std::vector<double> y(3);
  const auto product = nz::prepare(nz::find_kernel("cpu/ell/serial"), again.view());
  product->multiply(nz::Op::none, 1.0, x, 0.0, y);  // one kernel, without a plan
  const auto verdict = nz::check_product<double, int>(A.view(), nz::Op::none, 1.0, x, 0.0, {}, y);
  std::printf("%s\n", verdict.right() ? "right" : verdict.message().c_str());
  return verdict.right() && again == A ? 0 : 1;
}
