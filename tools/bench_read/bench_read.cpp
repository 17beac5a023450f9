// Answers each line "THREADS PATH" of standard input with "SECONDS CPU_SECONDS ROWS COLS NNZ": how
// long it took to read the file into sorted CSR (double, 32-bit offsets). "write THREADS FROM TO"
// converts.
#include <chrono>
#include <ctime>
#include <exception>
#include <iostream>
#include <string>

#include <fmt/format.h>
#include <nonzero/io.hpp>
#include <nonzero/threads.hpp>

int main() {
  using Clock = std::chrono::steady_clock;
  std::string first;
  while (std::cin >> first) {
    try {
      if (first == "write") {
        int threads = 1;
        std::string from, to;
        std::cin >> threads >> from >> to;
        nz::set_threads(threads);
        const auto a = nz::read_matrix<double, std::int32_t>(from);
        const auto start = Clock::now();
        nz::write_matrix(to, a.view());
        std::cout << fmt::format("{}\n",
                                 std::chrono::duration<double>(Clock::now() - start).count());
      } else {
        std::string path;
        std::cin >> path;
        nz::set_threads(std::stoi(first));
        const std::clock_t cpu = std::clock();
        const auto start = Clock::now();
        const auto a = nz::read_matrix<double, std::int32_t>(path);
        const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
        const double cpu_seconds = static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC;
        std::cout << fmt::format("{} {} {} {} {}\n", seconds, cpu_seconds, a.rows, a.cols, a.nnz());
      }
    } catch (const std::exception& error) {
      std::cout << "error " << error.what() << '\n';
    }
    std::cout.flush();
  }
}
