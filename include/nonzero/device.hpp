#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nonzero/export.hpp>

struct CUstream_st;  // cudaStream_t is a pointer to it

namespace NZ_API nz {

// Where a product is made: "cpu", "cuda:0", "cuda:1", ..., or "emu", which runs the GPU kernels on
// the host, thread by thread, to find their mistakes. It is slow and needs no GPU.
struct Device {
  enum class Kind : char { cpu, cuda, emulator };
  Kind kind = Kind::cpu;
  int index = 0;

  std::string name() const;
  friend bool operator==(const Device&, const Device&) = default;
};
inline constexpr Device cpu_device{};
inline constexpr Device emulator_device{Device::Kind::emulator, 0};

// "cuda" is "cuda:0". Throws InvalidArgument for another name, NoResource for a device that is not
// there, saying why.
Device device_named(std::string_view name);

struct DeviceInfo {
  Device device;
  std::string description;  // "NVIDIA H200", or what the emulator is
  int processors = 0;       // cores; multiprocessors of a GPU
  std::size_t memory_bytes = 0, free_bytes = 0;
  std::size_t cache_bytes = 0;   // L2 of a GPU
  std::size_t shared_bytes = 0;  // shared memory that a block of a GPU can have
  int clock_mhz = 0;             // the highest of a GPU
  int major = 0, minor = 0;      // a GPU's compute capability
  int driver = 0, runtime = 0;   // CUDA versions, 13000 for 13.0
};

// The CPU, every CUDA device, the emulator where it was built in.
std::vector<DeviceInfo> devices();

// Why there is no CUDA device; empty where there is one.
std::string why_no_cuda();

// A queue of work on a device that somebody owns. The empty one stands for the device's default
// stream, whatever the device.
struct StreamView {
  Device device{};
  CUstream_st* handle = nullptr;
  bool any_device() const { return device == cpu_device && !handle; }
};

// An owned one. Work of different streams may overlap.
class Stream {
 public:
  explicit Stream(Device device);
  Stream(Stream&& other) noexcept : view_(std::exchange(other.view_, {})) {}
  Stream& operator=(Stream other) noexcept {
    std::swap(view_, other.view_);
    return *this;
  }
  ~Stream();
  operator StreamView() const { return view_; }
  StreamView view() const { return view_; }
  // Until all work put there so far is done. Throws DeviceFault when some of it failed.
  void wait() const;

 private:
  StreamView view_;
};

// Waits for the stream; for the device's default stream when none is given. On the CPU there is
// nothing to wait for.
void wait_for(Device device, StreamView stream = {});

// Gives memory back that was released and that the library keeps for its next arrays: on a CUDA
// device up to a sixteenth of it. Arrays and plans that are there stay as they are. Waits for the
// work of the device: not while a thread of yours captures a CUDA graph, which that would spoil.
// While the library captures one itself it gives nothing back. Returns the number of bytes; on the
// CPU and on the emulator nothing is kept, and it is 0. Throws NoResource where the device is not
// there.
std::size_t trim(Device device);

namespace detail {
void* device_allocate(Device device, std::size_t bytes);
void device_release(Device device, void* memory) noexcept;
void check_fits(std::size_t room, std::size_t wanted);
void device_copy(Device device, void* to, const void* from, std::size_t bytes, StreamView stream);
}  // namespace detail

// An array in a device's memory, uninitialised. Move-only. NoResource says how much was needed and
// how much was free.
template <class T>
class DeviceArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  DeviceArray() = default;
  DeviceArray(Device device, std::size_t n)
      : device_(device),
        data_(n ? static_cast<T*>(detail::device_allocate(device, n * sizeof(T))) : nullptr),
        size_(n) {}
  DeviceArray(Device device, std::span<const T> from) : DeviceArray(device, from.size()) {
    upload(from);
  }
  DeviceArray(DeviceArray&& other) noexcept
      : device_(other.device_),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  DeviceArray& operator=(DeviceArray other) noexcept {
    std::swap(device_, other.device_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~DeviceArray() {
    if (data_) detail::device_release(device_, data_);
  }

  // From and to host memory, as many elements as the span has. They wait for the copy.
  // Throw InvalidArgument for a longer span.
  void upload(std::span<const T> from, StreamView stream = {}) {
    detail::check_fits(size_, from.size());
    if (!from.empty()) detail::device_copy(device_, data_, from.data(), from.size_bytes(), stream);
  }
  void download(std::span<T> to, StreamView stream = {}) const {
    detail::check_fits(size_, to.size());
    if (!to.empty()) detail::device_copy(device_, to.data(), data_, to.size_bytes(), stream);
  }

  Device device() const { return device_; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(T); }
  std::span<T> span() { return {data_, size_}; }
  std::span<const T> span() const { return {data_, size_}; }

 private:
  Device device_{};
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace nz
