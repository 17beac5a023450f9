// Multiplies a generated matrix a number of times with one thread and does nothing else worth
// mentioning, for a counter of instructions: nonzero-multiply SPEC KERNEL f32|f64 TIMES
//
// Prints the nonzeros. Two runs with different TIMES tell what one product takes.
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include <nonzero/generate.hpp>
#include <nonzero/plan.hpp>

namespace {

template <class T>
void multiply(const nz::GeneratedMatrix& matrix, const char* kernel, int times) {
  const auto a = nz::csr_cast<T, std::int32_t>(matrix.view());
  const auto plan = nz::plan(a.view(), {.kernel = kernel, .threads = 1});
  const std::vector<T> x(static_cast<std::size_t>(a.cols), T(1));
  std::vector<T> y(static_cast<std::size_t>(a.rows));
  for (int i = 0; i < times; ++i) plan.multiply(T(1), x, T(0), y);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::cerr << "usage: nonzero-multiply SPEC KERNEL f32|f64 TIMES\n";
    return 2;
  }
  try {
    const auto made = nz::generate(argv[1]);
    const int times = std::atoi(argv[4]);
    if (std::string(argv[3]) == "f32")
      multiply<float>(made.matrix, argv[2], times);
    else
      multiply<double>(made.matrix, argv[2], times);
    std::cout << made.matrix.nnz() << '\n';
    return 0;
  } catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 3;
  }
}
