#pragma once
#include <functional>
#include <memory>

struct CUstream_st;

namespace nz {

// Work that was queued once and can be queued again in one go.
class Replay {
 public:
  virtual ~Replay() = default;
  virtual void queue(CUstream_st* stream) = 0;
};

// A CUDA graph of what `work` queues on the stream. Null where that cannot be captured, and on the
// emulator.
namespace cuda {
std::unique_ptr<Replay> capture(CUstream_st* stream, const std::function<void()>& work);
}
namespace emulated {
std::unique_ptr<Replay> capture(CUstream_st* stream, const std::function<void()>& work);
}

}  // namespace nz
