#pragma once
#include <cstdint>
#include <span>

#include <nonzero/epilogue.hpp>

#include "kernels/epilogue.hpp"
#include "simt/queued_memory.hpp"
#include "simt/simt.hpp"

// How GPU products end themselves: what is done to an element, and where the sums come together.
namespace nz::NZ_HOME {

// An epilogue as kernels take it.
template <class T>
struct FusedEnd {
  const T* add;  // null: none
  T add_scale;
  T low, high;
  const T* with;  // of the dot product
  bool dots, squares;
  bool with_y;    // `with` is y itself
  double* parts;  // two for each part: of the dot product, and of the squares

  // What y[i] becomes.
  NZ_DEVICE T value(Thread& t, std::int64_t i, T v) const {
    if (add) v += add_scale * t.load(add + i);
    return v < low ? low : v > high ? high : v;
  }
  NZ_DEVICE void sum(Thread& t, std::int64_t i, T v, double& dot, double& square) const {
    const auto wide = static_cast<double>(v);
    if (dots) dot += wide * (with_y ? wide : static_cast<double>(t.load(with + i)));
    if (squares) square += wide * wide;
  }
};

template <class T>
FusedEnd<T> fused_end(const Epilogue<T>& end, const T* y, double* parts) {
  return {end.add.empty() ? nullptr : end.add.data(),
          end.add_scale,
          end.low,
          end.high,
          end.dot_with.data(),
          end.dot != nullptr,
          end.norm != nullptr,
          end.dot_with.data() == y,
          parts};
}

// The parts of the sums that a product leaves behind, each where it belongs, so that they are added
// up in the same order every time. Memory for the work that is queued, and no longer.
class FusedSums {
 public:
  // No parts: there is nothing to sum.
  FusedSums(Device device, CUstream_st* stream, std::int64_t parts);
  double* parts() const { return parts_; }
  // Queues what makes the results of them.
  void add_up(double* dot, double* norm) const;

 private:
  CUstream_st* stream_;
  std::int64_t count_;
  int blocks_;
  simt::QueuedMemory memory_;
  unsigned* counter_ = nullptr;
  double *parts_ = nullptr, *block_parts_ = nullptr;
};

}  // namespace nz::NZ_HOME
