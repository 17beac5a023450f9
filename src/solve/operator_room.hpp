#pragma once
#include <cstddef>
#include <memory>
#include <mutex>

#include <nonzero/device.hpp>
#include <nonzero/types.hpp>

#include "kernels/cpu/scratch_pool.hpp"
#include "simt/scratch.hpp"
#include "solve/sweep.hpp"

namespace nz {

// What an operator needs beside x and y: one vector of its own, and sweeps over vectors.
template <Value T>
class OperatorRoom {
 public:
  // `temporary`: elements of the vector. On a GPU it is made now, so that the first call may be one
  // that is captured; on the CPU when it is first needed.
  OperatorRoom(Device device, int threads, std::size_t temporary = 0);

  // What one call has: its vector, and sweeps that are queued on its stream.
  class Vectors {
   public:
    T* temporary() const { return temporary_; }
    // y = a x + b y over n elements. Does not read y where b is 0, nor x where a is.
    void update(std::size_t n, T a, const T* x, T b, T* y) const;
    // Any updates in one pass, with numbers as coefficients and without sums.
    void sweep(const Sweep<T>& s) const;

   private:
    friend class OperatorRoom;
    Device device_{};
    int threads_ = 1;
    CUstream_st* stream_ = nullptr;
    SweepRoom room_{};
    T* temporary_ = nullptr;
  };

  // body(vectors). On a GPU what the body queues stays together: another thread's waits until the
  // body is through. Throws InvalidArgument for a stream of another device.
  template <class Body>
  void use(StreamView stream, Body&& body) const {
    if (device_ == cpu_device) {
      if (temporary_ == 0) return body(vectors(nullptr));
      auto lease = pool().borrow();
      return body(vectors(lease.data()));
    }
    CUstream_st* const queue = simt::stream_for(device_, stream);
    const simt::StreamScratch::Lease lease(*scratch_, queue);
    body(vectors(queue, lease.scratch()));
  }

 private:
  cpu::ScratchPool<T>& pool() const;
  Vectors vectors(T* temporary) const;
  Vectors vectors(CUstream_st* stream, const simt::Scratch& scratch) const;

  Device device_;
  int threads_;
  std::size_t temporary_;
  mutable std::once_flag made_;
  mutable std::unique_ptr<cpu::ScratchPool<T>> pool_;  // on the CPU
  std::unique_ptr<simt::StreamScratch> scratch_;       // on a GPU
  SweepRoom room_{};                                   // there, but for its memory
  std::size_t parts_ = 0;                              // bytes of sums of blocks
};

}  // namespace nz
