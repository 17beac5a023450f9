// Conjugate gradients on any number of MPI ranks, without PETSc: for programs that have a
// distribution of their own. Every rank holds a slab of a 2D grid, and two plans: one for the
// entries between its own unknowns, one for those that touch a neighbour's. While the neighbours'
// values travel, the first plan multiplies; the second adds its part when they are there. Its
// matrix has few nonempty rows. `mpirun -n 4 ./mpi_cg 400`
#define OMPI_SKIP_MPICXX  // C++ bindings that nobody has used for long
#include <mpi.h>

#include <nonzero/nonzero.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

// The part of the 5-point Laplacian that this rank has: rows [first, last) of `side` grid points
// each.
struct Slab {
  int side, first, last, rank, ranks;
  int rows() const { return (last - first) * side; }
  bool above() const { return rank > 0; }
  bool below() const { return rank + 1 < ranks; }
};

Slab slab_of(int side, int rank, int ranks) {
  return {side, side * rank / ranks, side * (rank + 1) / ranks, rank, ranks};
}

// Entries between own unknowns.
nz::Csr<double, int> inside(const Slab& s) {
  std::vector<nz::index_t> rows, cols;
  std::vector<double> values;
  const auto add = [&](int i, int j, double v) {
    rows.push_back(i), cols.push_back(j), values.push_back(v);
  };
  for (int y = 0; y < s.last - s.first; ++y)
    for (int x = 0; x < s.side; ++x) {
      const int i = y * s.side + x;
      if (y > 0) add(i, i - s.side, -1);
      if (x > 0) add(i, i - 1, -1);
      add(i, i, 4);
      if (x + 1 < s.side) add(i, i + 1, -1);
      if (y + 1 < s.last - s.first) add(i, i + s.side, -1);
    }
  return nz::csr_from_triplets<double, int>(s.rows(), s.rows(), rows, cols, values);
}

// Entries that touch the halo: `side` values of the rank above, then as many of the one below.
nz::Csr<double, int> outside(const Slab& s) {
  std::vector<nz::index_t> rows, cols;
  std::vector<double> values;
  for (int x = 0; x < s.side; ++x) {
    if (s.above()) rows.push_back(x), cols.push_back(x), values.push_back(-1);
    if (s.below())
      rows.push_back(s.rows() - s.side + x), cols.push_back(s.side + x), values.push_back(-1);
  }
  return nz::csr_from_triplets<double, int>(s.rows(), 2 * s.side, rows, cols, values);
}

class Matrix {
 public:
  explicit Matrix(const Slab& s)
      : slab_(s),
        inside_(nz::plan(inside(s), {.threads = 1})),
        outside_(nz::plan(outside(s), {.threads = 1})),
        halo_(2 * s.side) {}

  // y = A x.
  void multiply(std::span<const double> x, std::span<double> y) {
    const int n = slab_.side;
    const auto size = static_cast<std::size_t>(n);
    MPI_Request requests[4];
    int open = 0;
    const auto exchange = [&](int with, double* in, const double* out) {
      MPI_Irecv(in, n, MPI_DOUBLE, with, 0, MPI_COMM_WORLD, &requests[open++]);
      MPI_Isend(out, n, MPI_DOUBLE, with, 0, MPI_COMM_WORLD, &requests[open++]);
    };
    if (slab_.above()) exchange(slab_.rank - 1, halo_.data(), x.data());
    if (slab_.below()) exchange(slab_.rank + 1, halo_.data() + n, x.data() + x.size() - size);
    inside_.multiply(1, x, 0, y);  // meanwhile
    MPI_Waitall(open, requests, MPI_STATUSES_IGNORE);
    if (open) outside_.multiply(1, halo_, 1, y);
  }

 private:
  Slab slab_;
  nz::Plan<double> inside_, outside_;
  std::vector<double> halo_;
};

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double mine = 0, all = 0;
  for (std::size_t i = 0; i < a.size(); ++i) mine += a[i] * b[i];
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int side = argc > 1 ? std::atoi(argv[1]) : 200;
  if (side < ranks) {
    if (rank == 0)
      std::fprintf(stderr, "%d rows of the grid are too few for %d ranks\n", side, ranks);
    MPI_Finalize();
    return 2;
  }
  const Slab slab = slab_of(side, rank, ranks);
  Matrix A(slab);
  const auto n = static_cast<std::size_t>(slab.rows());
  std::vector<double> x(n, 0), r(n, 1), p = r, q(n);  // b = 1
  double rho = dot(r, r);
  const double target = 1e-8 * std::sqrt(rho), start = MPI_Wtime();
  int steps = 0;
  for (; std::sqrt(rho) > target && steps < 10 * side; ++steps) {
    A.multiply(p, q);
    const double alpha = rho / dot(p, q);
    for (std::size_t i = 0; i < n; ++i) x[i] += alpha * p[i], r[i] -= alpha * q[i];
    const double next = dot(r, r), beta = next / rho;
    rho = next;
    for (std::size_t i = 0; i < n; ++i) p[i] = r[i] + beta * p[i];
  }
  const double seconds = MPI_Wtime() - start;
  // The residual once more, from x itself.
  A.multiply(x, q);
  for (std::size_t i = 0; i < n; ++i) q[i] = 1 - q[i];
  const double residual = std::sqrt(dot(q, q)) / side;
  if (rank == 0)
    std::printf("%d ranks: %d steps, residual %.2e, %.3f s\n", ranks, steps, residual, seconds);
  MPI_Finalize();
  return residual < 1e-7 ? 0 : 1;
}
