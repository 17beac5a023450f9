#include <cuda_runtime_api.h>

#include "simt/cuda_error.hpp"
#include "simt/queued_times.hpp"

namespace nz::simt {
namespace {

class Event {
 public:
  Event() { check_cuda(cudaEventCreate(&event_), "cudaEventCreate"); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record() { check_cuda(cudaEventRecord(event_, nullptr), "cudaEventRecord"); }
  void wait() { check_cuda(cudaEventSynchronize(event_), "timing products"); }
  double seconds_since(const Event& begin) const {
    float milliseconds = 0;
    check_cuda(cudaEventElapsedTime(&milliseconds, begin.event_, event_), "cudaEventElapsedTime");
    return 1e-3 * milliseconds;
  }

 private:
  cudaEvent_t event_{};
};

}  // namespace

std::vector<double> cuda_queued_times(std::span<const Work> works, const Work& before) {
  if (works.empty()) return {};
  std::vector<Event> begins(works.size()), ends(works.size());
  for (std::size_t i = 0; i < works.size(); ++i) {
    before();
    begins[i].record();
    works[i]();
    ends[i].record();
  }
  ends.back().wait();
  std::vector<double> seconds;
  for (std::size_t i = 0; i < works.size(); ++i)
    seconds.push_back(ends[i].seconds_since(begins[i]));
  return seconds;
}

}  // namespace nz::simt
