#include <string>

#include <nonzero/error.hpp>

#include "kernels/gpu/papers/chirila2025/bsr_tasks.hpp"

namespace nz::NZ_HOME {
namespace {

constexpr int usual_threads = 128;

// Listing 17: a team of threads a block of the matrix, each thread at the same place of all blocks,
// so that one scalar holds its sum. What is left of the thread block when no further team fits is
// idle.
template <class T, int threads, int blocks>
struct TeamSums {
  static constexpr const char* name = "gpu/bsr/team";
  static constexpr int max_threads = threads, min_blocks = blocks;
  BsrTasks<T> a;

  NZ_DEVICE void operator()(Thread& t) const {
    const SharedArray<T> sums = t.shared<T>(a.block_rows);
    const int size = a.block_size(), teams = t.block_size() / size;
    const int team = t.index() / size, worker = t.index() % size;
    const int row = worker / a.block_cols, col = worker % a.block_cols;
    over_tasks(t, a, [&](const LinePart& part) {
      if (part.first == part.last) return;  // less than a block: its first task has none of it
      clear_sums(t, a, sums);
      if (team < teams) {
        T acc = 0;
        for (std::int64_t block = part.first + team; block < part.last; block += teams) {
          const std::int64_t j = std::int64_t{a.block_cols} * t.load(a.columns + block) + col;
          if (j < a.cols) acc += t.load(a.values + block * size + worker) * t.load(a.x + j);
        }
        t.atomic_add(sums, row, acc);
      }
      add_sums_to_y(t, a, part, sums);
    });
  }
};

// Why the parameters cannot be had; empty when they can.
std::string declines(const Parameters& p) {
  const std::int64_t rows = p.at("block_rows"), cols = p.at("block_cols"), threads = threads_of(p);
  if (rows * cols <= threads) return {};
  const auto shape = std::to_string(rows) + " x " + std::to_string(cols);
  const std::int64_t enough = (rows * cols + 31) / 32 * 32;
  return "blocks of " + shape + " have " + std::to_string(rows * cols) + " values, more than the " +
         std::to_string(threads) + " threads that take one each; " +
         (enough <= 1024 ? "threads=" + std::to_string(enough) + " would do"
                         : "at most 1024 threads are possible, other kernels take any block");
}

// With blocks that the usual threads cannot take, as many threads as they need.
Parameters fit_team(const Pattern& a) {
  Parameters p = fit_blocks(a);
  const std::int64_t size = p.at("block_rows") * p.at("block_cols");
  if (size > usual_threads && size <= 1024) p["threads"] = (size + 31) / 32 * 32;
  return p;
}

struct TeamKernels {
  template <class T, class F>
  static void choose(const Parameters& p, F&& f) {
    with_bounds(p, [&]<int threads, int blocks>() {
      f.template operator()<TeamSums<T, threads, blocks>>();
    });
  }
  static std::int64_t shared_values(const Parameters& p) { return p.at("block_rows"); }
};

template <class T, class O>
struct Team : OnBsrTasks<T, O, TeamKernels> {
  Team(const CsrView<T, O>& a, const Parameters& p)
      : OnBsrTasks<T, O, TeamKernels>(a, checked(p)) {}

 private:
  static const Parameters& checked(const Parameters& p) {
    if (const std::string why = declines(p); !why.empty()) throw Refused("gpu/bsr/team: " + why);
    return p;
  }
};

}  // namespace

Kernel gpu_bsr_team() {
  Kernel k = bsr_task_kernel("team", "chirila2025 §8.3.2 listing 17",
                             "teams of threads, each thread one place of all blocks",
                             {.threads = usual_threads, .oversubscription = 1},  // table 10
                             prepare_gpu<Team>());
  k.declines = declines;
  k.fit = fit_team;
  return k;
}

}  // namespace nz::NZ_HOME
