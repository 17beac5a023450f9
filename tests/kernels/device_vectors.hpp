#pragma once
#include <algorithm>
#include <cstdlib>
#include <span>
#include <vector>

#include <nonzero/device.hpp>
#include <nonzero/plan.hpp>

// Vectors for a product, wherever the plan runs.
namespace nz::test {

// A vector between two guard zones, so that a write beyond its ends is seen.
template <class T>
class Guarded {
 public:
  explicit Guarded(std::vector<T> v) : size_(v.size()), all_(size_ + 2 * zone, mark) {
    std::copy(v.begin(), v.end(), all_.begin() + zone);
  }
  std::span<T> span() { return {all_.data() + zone, size_}; }
  std::span<T> all() { return all_; }
  std::span<T> span_in(std::span<T> all) const { return all.subspan(zone, size_); }
  bool intact() const {
    const auto marked = [](T v) { return v == mark; };
    return std::all_of(all_.begin(), all_.begin() + zone, marked) &&
           std::all_of(all_.end() - zone, all_.end(), marked);
  }

 private:
  static constexpr std::ptrdiff_t zone = 64;
  static constexpr T mark = T(-7.25);
  std::size_t size_;
  std::vector<T> all_;
};

// Device memory for the vectors of one product after another. On the emulator, and under
// compute-sanitizer, each product gets arrays of its own, so that steps beyond their ends show; on
// a GPU, where that takes long, the arrays are kept.
template <class T>
class DeviceVectors {
 public:
  explicit DeviceVectors(Device device) : device_(device) {}
  std::span<T> put(int which, std::span<const T> from) {
    DeviceArray<T>& v = kept_[which];
    const bool keep = device_.kind == Device::Kind::cuda && !std::getenv("NZ_TEST_THIN");
    if (!keep || v.size() < from.size()) v = DeviceArray<T>(device_, from.size());
    v.upload(from);
    return v.span().first(from.size());
  }
  void get(int which, std::span<T> to) const { kept_[which].download(to); }

 private:
  Device device_;
  DeviceArray<T> kept_[2];
};

// y = alpha op(A) x + beta y, both in host memory, multiplied where the plan runs.
template <class T>
void multiply(const Plan<T>& plan, Op op, T alpha, std::vector<T>& x, T beta, Guarded<T>& y) {
  if (plan.device() == cpu_device) {
    plan.multiply(alpha, x, beta, y.span(), op);
    return;
  }
  static DeviceVectors<T> on_cuda({Device::Kind::cuda, 0}), on_emulator(emulator_device);
  auto& vectors = plan.device().kind == Device::Kind::cuda ? on_cuda : on_emulator;
  const std::span<T> there = vectors.put(0, x), out = vectors.put(1, y.all());
  plan.multiply(alpha, there, beta, y.span_in(out), op);
  wait_for(plan.device());
  vectors.get(0, x);
  vectors.get(1, y.all());
}

}  // namespace nz::test
