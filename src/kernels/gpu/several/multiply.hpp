#pragma once
#include <nonzero/dense.hpp>
#include <nonzero/device.hpp>

#include "kernels/gpu/several/vectors.hpp"

namespace nz::NZ_HOME {

// One op of a prepared matrix, as multiply_several() below calls it: device memory, alpha finite
// and not 0, queued only.
template <class T>
class SeveralCalls {
 public:
  virtual ~SeveralCalls() = default;
  // Whether there is a product for several; x then comes by rows (x.column = 1) where it asks so.
  virtual bool own() const = 0;
  virtual bool wants_rows() const = 0;
  // Whether so many X and Y by columns, two at least, are taken as they lie.
  virtual bool takes_columns(int columns) const = 0;
  // Whether so few are added up in registers, as one is: two take little longer than one then, and
  // rows of X need no whole packs.
  virtual bool in_registers(int columns) const = 0;
  // Whether it is faster for so many where Y comes by rows too, however few they are.
  virtual bool wants_rows_of_y(int columns) const = 0;
  // Whether two vectors take about twice as long as one, however many more they could be.
  virtual bool dear_to_begin() const = 0;
  // What one of them reads of the matrix.
  virtual std::size_t matrix_bytes() const = 0;
  virtual void several(CUstream_st* stream, T alpha, const Several<const T>& x, T beta,
                       const Several<T>& y) const = 0;
  virtual void one(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const = 0;
};

// Y = alpha op(A) X + beta Y, whatever alpha is, wherever X and Y lie and in whatever layout.
template <Value T>
void multiply_several(Device device, CUstream_st* stream, const SeveralCalls<T>& by, T alpha,
                      DenseView<const T> x, T beta, DenseView<T> y);

}  // namespace nz::NZ_HOME
