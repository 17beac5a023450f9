#pragma once
#include <cstddef>
#include <span>

#include <nonzero/device.hpp>
#include <nonzero/formats/bsr.hpp>

#include "kernels/bsr_parameters.hpp"
#include "kernels/gpu/bsr/convert.hpp"
#include "kernels/gpu/gpu_product.hpp"
#include "device/room_behind.hpp"

namespace nz::NZ_HOME {

// BSR of the host's in the current device's memory.
template <Value T, Offset O>
BsrArrays<T, O> upload(const Bsr<T, O>& a) {
  const Device device = current_device();
  BsrArrays<T, O> b{a.view(),
                    {device, std::span<const O>(a.offsets)},
                    {device, std::span<const index_t>(a.columns)},
                    with_room_behind<T>(device, a.values.size(), 32 / sizeof(T))};
  if (a.values.size() > 0)
    simt::backend(device).copy(b.values.data(), a.values.data(), a.values.size() * sizeof(T),
                               nullptr);
  b.connect();
  return b;
}

// The base of strategies that multiply BSR: made by the host, or by the device where CSR lies there
// already. Values begin at a multiple of 16 bytes, and 32 bytes behind their end may be read: whole
// pieces of 16 around the last block.
template <Value T, Offset O>
class OnBsr {
 public:
  OnBsr(const CsrView<T, O>& a, const Parameters& p)
      : b_(lies_on(current_device(), a) ? bsr_on_device(a, static_cast<index_t>(p.at("block_rows")),
                                                        static_cast<index_t>(p.at("block_cols")),
                                                        static_cast<double>(p.at("max_ratio")))
                                        : upload(to_bsr(a, p))) {}

  const BsrView<T, O>& a() const { return b_.view; }
  index_t rows() const { return a().rows; }
  index_t cols() const { return a().cols; }
  std::size_t bytes() const { return b_.bytes(); }
  std::size_t matrix_bytes() const { return a().bytes(); }
  Facts facts() const { return bsr_facts(a()); }

 private:
  BsrArrays<T, O> b_;
};

// y = beta y for some lines of the grid: rows of blocks, or columns of a transposed product.
template <class T>
struct ScaleLines {
  static constexpr const char* name = "scale lines of y";
  const index_t* lines;
  std::int64_t n;
  int outputs;
  std::int64_t rows;  // of y
  T beta;
  T* y;
  NZ_DEVICE void operator()(Thread& t) const {
    for (std::int64_t k = t.global_index(); k < n * outputs; k += t.global_size()) {
      const std::int64_t i = std::int64_t{t.load(lines + k / outputs)} * outputs + k % outputs;
      if (i < rows) y[i] = beta == T(0) ? T(0) : beta * y[i];
    }
  }
};

}  // namespace nz::NZ_HOME
