#pragma once
#include <type_traits>

#include <nonzero/export.hpp>
#include <nonzero/linear_operator.hpp>
#include <nonzero/solve.hpp>

// Approximate inverses beyond the diagonal. Most are products with plans, and so run on any device
// and as fast as plans do; the two at the end are triangular solves, for the CPU alone.
//
// All are made on the host, with all threads and in double, from a square matrix in host memory.
// They throw InvalidArgument for another shape or for options that mean nothing, and BadInput, with
// the row, where a value is not finite or the method has no result. The same matrix makes the same
// bits, whatever the number of threads.
namespace NZ_API nz {
namespace solve {

// Whatever is near the inverse of A, and square: a plan, a function of one's own, a polynomial.
// BiCG and QMR need its transposed product as well.
template <RealValue T>
NZ_API Preconditioner<T> preconditioner(LinearOperator<T> near_inverse);

// Factored sparse approximate inverse of a symmetric positive definite A: the transpose of G times
// G, where G is lower triangular and L G is near I for the Cholesky factor L. Two products.
struct FsaiOptions {
  // G has the places of the lower triangle of A to this power, 1 to 4. Each more takes fewer
  // iterations, and more entries.
  int power = 1;
  // Entries with |a_ij| below drop times the root of a_ii a_jj make no places: 0 keeps them all.
  double drop = 0;
  // The most places of a row, 1 to 1000; the entries largest by the same measure stay, those of A
  // before those of its powers, which do not go through rows of A that are longer than this. Work
  // grows with its third power.
  int row_limit = 200;
};
// Reads the lower triangle, for powers the whole. Small systems that rounding has left indefinite
// are solved again with the diagonal 1e-8, 1e-6, 1e-4 and 1e-2 larger; where even that fails, A is
// not positive definite, which is a BadInput.
template <RealValue T, Offset O>
NZ_API Preconditioner<T> fsai(const CsrView<T, O>& a, const FsaiOptions& options = {},
                              Device device = cpu_device);

// A polynomial of A for a symmetric positive definite A: so many steps of Chebyshev's iteration
// with the diagonal D. It takes `degree` products with A and stores two vectors.
struct ChebyshevOptions {
  int degree = 4;  // 1 to 100
  // The eigenvalues of A / D that it damps. 0: found by 20 steps of Lanczos. The upper bound is
  // then 1.05 times the largest that was seen, or Gershgorin's where that is lower; the lower one
  // is the smallest seen, but not below upper / (2 (degree + 1)^2), where a polynomial of this
  // degree has nothing more to gain.
  double lower = 0, upper = 0;
};
// Multiplies by `product`, a plan of A or an operator near it, whose device it runs on; a plan is
// borrowed, and stays longer. The diagonal and the bounds are taken from `a`. Throws BadInput where
// the diagonal is not positive, or Lanczos meets an eigenvalue that is not.
template <RealValue T, Offset O>
NZ_API Preconditioner<T> chebyshev(const LinearOperator<std::type_identity_t<T>>& product,
                                   const CsrView<T, O>& a, const ChebyshevOptions& options = {});

// Sparse approximate inverse M of any square A: row by row the least squares of I - M A.
// `level` 0: M is diagonal, as cheap as Jacobi. 1: M has the places of A, of rows with more than
// 100 entries those of the largest; it is not symmetric, and so not for CG. Throws BadInput for a
// row whose least squares are 0, such as an empty one.
template <RealValue T, Offset O>
NZ_API Preconditioner<T> spai(const CsrView<T, O>& a, int level = 1, Device device = cpu_device);

// Incomplete Cholesky factors of a symmetric positive definite A, with the places of its lower
// triangle. Where a pivot is not positive, all begins again with the diagonal 1e-3, 2e-3, 4e-3, ...
// larger, up to 1 times; then it is a BadInput. CPU only: serial triangular solves.
template <RealValue T, Offset O>
NZ_API Preconditioner<T> incomplete_cholesky(const CsrView<T, O>& a);

// Incomplete LU factors of a square A, with its places. Throws BadInput for a pivot that is zero,
// with its row. CPU only: serial triangular solves.
template <RealValue T, Offset O>
NZ_API Preconditioner<T> incomplete_lu(const CsrView<T, O>& a);

}  // namespace solve
}  // namespace nz
