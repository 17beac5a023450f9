#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "simt/backend.hpp"
#include "simt/cuda_error.hpp"
#include "simt/setup_scope.hpp"

namespace nz::simt {

void check_cuda(cudaError_t status, const char* what) {
  count_request();
  if (status == cudaSuccess) return;
  cudaGetLastError();  // what is not sticky is told once
  const std::string text =
      fmt::format("{}: {} ({})", what, cudaGetErrorString(status), cudaGetErrorName(status));
  if (status == cudaErrorMemoryAllocation || status == cudaErrorNoDevice ||
      status == cudaErrorInsufficientDriver)
    throw NoResource(text);
  throw DeviceFault(text);
}

namespace {

class CudaBackend final : public Backend {
 public:
  explicit CudaBackend(int index) {
    cudaDeviceProp p{};
    check_cuda(cudaGetDeviceProperties(&p, index), "cudaGetDeviceProperties");
    info_.device = {Device::Kind::cuda, index};
    info_.description = p.name;
    info_.processors = p.multiProcessorCount;
    info_.memory_bytes = p.totalGlobalMem;
    info_.cache_bytes = static_cast<std::size_t>(p.l2CacheSize);
    info_.shared_bytes = p.sharedMemPerBlockOptin;
    info_.major = p.major;
    info_.minor = p.minor;
    int khz = 0;
    check_cuda(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, index), "cudaDeviceGetAttribute");
    info_.clock_mhz = khz / 1000;
    check_cuda(cudaDriverGetVersion(&info_.driver), "cudaDriverGetVersion");
    check_cuda(cudaRuntimeGetVersion(&info_.runtime), "cudaRuntimeGetVersion");
    make_pool(index);
    make_pinned();
    info_.free_bytes = free_bytes();
  }
  ~CudaBackend() override {
    if (aside_) cudaStreamDestroy(aside_);
    if (pinned_) cudaFreeHost(pinned_);
    for (const cudaMemPool_t pool : {pool_, queued_pool_})
      if (pool) cudaMemPoolDestroy(pool);
  }

  void copy(void* to, const void* from, std::size_t bytes, CUstream_st* stream) override {
    const bool to_host = !owns(to);
    if (to_host && fetched(to, from, bytes, stream)) return;
    copy_queued(to, from, bytes, stream);
    if (to_host || !owns(from)) wait(stream);
  }
  void copy_queued(void* to, const void* from, std::size_t bytes, CUstream_st* stream) override {
    const DeviceScope scope(info_.device);
    check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), "cudaMemcpyAsync");
  }
  void clear(void* memory, std::size_t bytes, CUstream_st* stream) override {
    const DeviceScope scope(info_.device);
    check_cuda(cudaMemsetAsync(memory, 0, bytes, stream), "cudaMemsetAsync");
  }
  // What was released and kept until then goes. Only memory that was there before the wait: another
  // thread may release more meanwhile.
  bool try_wait_for_all() override {
    const DeviceScope scope(info_.device);
    std::vector<void*> waiting;
    {
      const std::lock_guard lock(kept_guard_);
      waiting.swap(kept_);
    }
    const bool done = waited_for_all();
    if (!waiting.empty()) forget_addresses();
    if (done)
      std::erase_if(waiting, [](void* each) {
        const bool freed = cudaFreeAsync(each, nullptr) == cudaSuccess;
        if (!freed) cudaGetLastError();
        return freed;
      });
    const std::lock_guard lock(kept_guard_);
    kept_.insert(kept_.end(), waiting.begin(), waiting.end());
    return done;
  }
  void wait(CUstream_st* stream) override {
    const DeviceScope scope(info_.device);
    check_cuda(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  }
  CUstream_st* make_stream() override {
    const DeviceScope scope(info_.device);
    cudaStream_t stream{};
    check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
    return stream;
  }
  void end_stream(CUstream_st* stream) noexcept override { cudaStreamDestroy(stream); }
  void check_stream([[maybe_unused]] CUstream_st* stream) override {
#if CUDART_VERSION >= 12080
    if (!stream) return;
    // A stream that is being captured must not be asked.
    cudaStreamCaptureStatus status{};
    check_cuda(cudaStreamIsCapturing(stream, &status), "cudaStreamIsCapturing");
    if (status != cudaStreamCaptureStatusNone) return;
    int device = 0;
    check_cuda(cudaStreamGetDevice(stream, &device), "cudaStreamGetDevice");
    if (device != info_.device.index)
      throw InvalidArgument(
          fmt::format("a stream of cuda:{} for work on {}", device, info_.device.name()));
#endif
  }
  StreamKey key_of(CUstream_st* stream) override {
    // The device's default stream, which is never captured and always there.
    if (!stream || stream == cudaStreamLegacy) return {};
    const DeviceScope scope(info_.device);  // whose default stream of the thread is meant
    cudaStreamCaptureStatus status{};
    unsigned long long id = 0;
    check_cuda(cudaStreamGetCaptureInfo(stream, &status, &id), "cudaStreamGetCaptureInfo");
    // Within a capture its streams are told apart by their handles: they live as long.
    if (status == cudaStreamCaptureStatusActive)
      return {reinterpret_cast<std::uintptr_t>(stream), id + 1};
    check_cuda(cudaStreamGetId(stream, &id), "cudaStreamGetId");
    return {id + 1, 0};
  }
  void tell_when_over(CUstream_st* stream, std::shared_ptr<std::atomic<bool>> over) override {
    using Told = std::shared_ptr<std::atomic<bool>>;
    cudaStreamCaptureStatus status{};
    unsigned long long id = 0;
    cudaGraph_t graph{};
    if (cudaStreamGetCaptureInfo(stream, &status, &id, &graph) != cudaSuccess || !graph) {
      cudaGetLastError();
      return;
    }
    auto told = std::make_unique<Told>(std::move(over));
    const cudaHostFn_t tell = [](void* its) {
      const std::unique_ptr<Told> mine(static_cast<Told*>(its));
      mine->get()->store(true);
    };
    cudaUserObject_t object{};
    if (cudaUserObjectCreate(&object, told.get(), tell, 1, cudaUserObjectNoDestructorSync) !=
        cudaSuccess) {
      cudaGetLastError();
      return;
    }
    // The object has it now. The graph keeps the only reference, and so do those made of it; where
    // it refuses, nobody must be told that it is over.
    Told* const its = told.release();
    if (cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove) != cudaSuccess) {
      cudaGetLastError();
      *its = std::make_shared<std::atomic<bool>>();
      cudaUserObjectRelease(object, 1);
    }
  }
  bool owns(const void* address) override {
    if (known_to_lie_on(info_.device, address)) return true;
    cudaPointerAttributes a{};
    if (cudaPointerGetAttributes(&a, address) != cudaSuccess) {
      cudaGetLastError();
      return false;
    }
    if (a.type == cudaMemoryTypeDevice && a.device != info_.device.index)
      throw InvalidArgument(
          fmt::format("memory of cuda:{} for work on {}", a.device, info_.device.name()));
    const bool there = a.type == cudaMemoryTypeDevice || a.type == cudaMemoryTypeManaged;
    if (there) lies_there(info_.device, address);
    return there;
  }
  const DeviceInfo& info() override { return info_; }
  std::size_t free_bytes() override {
    const DeviceScope scope(info_.device);
    if (keeps_releases(info_.device)) release_kept();
    std::size_t available = 0, total = 0;
    if (cudaMemGetInfo(&available, &total) != cudaSuccess) cudaGetLastError();
    return available + spare_bytes();
  }
  std::size_t trim() override {
    const DeviceScope scope(info_.device);
    // What is released in the order of a stream can go once the stream has come to that.
    if (!pool_ || !try_wait_for_all()) return 0;
    std::size_t given = 0;
    for (const cudaMemPool_t pool : {pool_, queued_pool_}) {
      const std::uint64_t before = bytes_of(pool, cudaMemPoolAttrReservedMemCurrent);
      check_cuda(cudaMemPoolTrimTo(pool, 0), "cudaMemPoolTrimTo");
      const std::uint64_t after = bytes_of(pool, cudaMemPoolAttrReservedMemCurrent);
      if (before > after) given += before - after;  // others may allocate meanwhile
    }
    return given;
  }

 protected:
  void* try_allocate(std::size_t bytes) override {
    const DeviceScope scope(info_.device);
    void* memory = nullptr;
    if (!pool_) return got(cudaMalloc(&memory, bytes), "cudaMalloc") ? memory : nullptr;
    const auto attempt = [&] {
      if (!got(cudaMallocFromPoolAsync(&memory, bytes, pool_, nullptr), "cudaMallocAsync"))
        return false;
      most_used_ += bytes;
      return true;
    };
    if (attempt()) return memory;
    release_kept();
    empty_pools();
    return attempt() ? memory : nullptr;
  }
  // Work of any stream may still use it. Where CUDA cannot wait for all of them, because a graph is
  // being captured, it is kept until CUDA can, and where more follows, until the end of that.
  void do_release(void* memory) noexcept override {
    if (!pool_) {
      forget_addresses();
      cudaFree(memory);
      return;
    }
    try {
      const std::lock_guard lock(kept_guard_);
      kept_.push_back(memory);
    } catch (const std::bad_alloc&) {
      return;  // lost to the pool, which is better than handed out too early
    }
    if (!keeps_releases(info_.device) || holds_much()) release_kept();
  }
  void* try_allocate_queued(std::size_t bytes, CUstream_st* stream) override {
    const DeviceScope scope(info_.device);
    void* memory = nullptr;
    if (!pool_) return got(cudaMalloc(&memory, bytes), "cudaMalloc") ? memory : nullptr;
    const auto attempt = [&] {
      return got(cudaMallocFromPoolAsync(&memory, bytes, queued_pool_, stream), "cudaMallocAsync");
    };
    if (attempt()) return memory;
    // Another thread may prepare something, and have kept what it released.
    release_kept();
    empty_pools();
    return attempt() ? memory : nullptr;
  }
  void do_release_queued(void* memory, CUstream_st* stream) noexcept override {
    forget_addresses();
    if (!pool_) {
      cudaFree(memory);  // waits
      return;
    }
    try {
      const DeviceScope scope(info_.device);  // whose default stream is meant
      if (cudaFreeAsync(memory, stream) != cudaSuccess) cudaGetLastError();
    } catch (const Error&) {
      // The device has failed, and its memory with it.
    }
  }
  void* try_allocate_aside(std::size_t bytes, std::size_t zeros) override {
    const DeviceScope scope(info_.device);
    const Unwatched unwatched;
    CUstream_st* const stream = aside();
    void* memory = try_allocate_queued(bytes, stream);
    if (!memory) return nullptr;
    try {
      if (zeros > 0) clear(memory, zeros, stream);
      wait(stream);
    } catch (...) {
      do_release_queued(memory, stream);
      throw;
    }
    return memory;
  }
  void* try_allocate_pinned(std::size_t bytes) override {
    void* memory = nullptr;
    return got(cudaMallocHost(&memory, bytes), "cudaMallocHost") ? memory : nullptr;
  }
  void do_release_pinned(void* memory) noexcept override { cudaFreeHost(memory); }

 private:
  // While a capture is under way, calls that could disturb it are errors unless a thread says that
  // it knows what it does. What is done here has a stream of its own, which waits for no other.
  class Unwatched {
   public:
    Unwatched() {
      check_cuda(cudaThreadExchangeStreamCaptureMode(&mode_),
                 "cudaThreadExchangeStreamCaptureMode");
    }
    ~Unwatched() { cudaThreadExchangeStreamCaptureMode(&mode_); }
    Unwatched(const Unwatched&) = delete;
    Unwatched& operator=(const Unwatched&) = delete;

   private:
    cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
  };
  CUstream_st* aside() {
    const std::lock_guard lock(guard_);
    if (!aside_) aside_ = make_stream();
    return aside_;
  }

  // Where there is none, copies do without.
  void make_pinned() {
    const DeviceScope scope(info_.device);
    const Unwatched unwatched;
    if (cudaHostAlloc(&pinned_, pinned_bytes, cudaHostAllocPortable) == cudaSuccess) return;
    cudaGetLastError();
    pinned_ = nullptr;
  }
  // A small copy to host memory through memory that is pinned already: CUDA would bring it through
  // some of its own, piece by piece. False where it is too large, or another thread is at it.
  bool fetched(void* to, const void* from, std::size_t bytes, CUstream_st* stream) {
    if (!pinned_ || bytes > pinned_bytes) return false;
    const std::unique_lock lock(pinned_guard_, std::try_to_lock);
    if (!lock) return false;
    copy_queued(pinned_, from, bytes, stream);
    wait(stream);
    if (bytes > 0) std::memcpy(to, pinned_, bytes);
    return true;
  }

  // Whether so much of the device's memory is in use, or kept, that a wait for it to come back is
  // nothing beside the work on it. The pool is not asked while what was allocated since it last
  // said how much that is does not amount to that.
  bool holds_much() noexcept {
    const std::size_t much = info_.memory_bytes / 8;
    if (most_used_.load() <= much) return false;
    const std::size_t used = bytes_of(pool_, cudaMemPoolAttrUsedMemCurrent);
    most_used_.store(used);
    return used > much;
  }

  // False when somebody captures.
  bool waited_for_all() {
    cudaError_t status = cudaSuccess;
    if (!captures().unless_capturing([&] { status = cudaDeviceSynchronize(); })) return false;
    // A capture of the caller's, in any thread.
    if (status == cudaErrorStreamCaptureUnsupported ||
        status == cudaErrorStreamCaptureInvalidated) {
      cudaGetLastError();
      return false;
    }
    check_cuda(status, "cudaDeviceSynchronize");
    return true;
  }

  // Gives back what was released, unless the device's work cannot be waited for now.
  void release_kept() noexcept {
    try {
      try_wait_for_all();
    } catch (const std::exception&) {
      // The device has failed, and its memory with it; or the host has none left for the list.
    }
  }

  static bool got(cudaError_t status, const char* what) {
    if (status == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      return false;
    }
    check_cuda(status, what);
    return true;
  }

  // Making a plan takes a dozen arrays for a while. From the driver each costs tens of
  // microseconds, and hundreds where it is large; a pool of our own that keeps some of what was
  // released hands them out in one or two.
  //
  // What is released in the order of a stream may still be written to by it, and CUDA hands it to
  // another stream that shall wait. Who allocates for all streams waits for none, so that memory
  // never comes from there: it has a pool of its own.
  void make_pool(int index) {
    int there = 0;
    check_cuda(cudaDeviceGetAttribute(&there, cudaDevAttrMemoryPoolsSupported, index),
               "cudaDeviceGetAttribute");
    if (!there) return;
    cudaMemPoolProps how{};
    how.allocType = cudaMemAllocationTypePinned;
    how.location = {cudaMemLocationTypeDevice, index};
    check_cuda(cudaMemPoolCreate(&pool_, &how), "cudaMemPoolCreate");
    check_cuda(cudaMemPoolCreate(&queued_pool_, &how), "cudaMemPoolCreate");
    // A sixteenth together. Without it what a product of several vectors needs for a while would go
    // back to the driver whenever somebody waits, and be asked for again by the next one.
    std::uint64_t kept = info_.memory_bytes / 32;
    for (const cudaMemPool_t pool : {pool_, queued_pool_})
      check_cuda(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept),
                 "cudaMemPoolSetAttribute");
  }
  // What the pools keep and nobody has.
  std::size_t spare_bytes() const {
    std::size_t spare = 0;
    for (const cudaMemPool_t pool : {pool_, queued_pool_}) {
      const std::uint64_t reserved = bytes_of(pool, cudaMemPoolAttrReservedMemCurrent),
                          used = bytes_of(pool, cudaMemPoolAttrUsedMemCurrent);
      if (reserved > used) spare += reserved - used;  // read one after the other
    }
    return spare;
  }
  // What they keep may be in pieces that are too small, or in the other one.
  void empty_pools() {
    for (const cudaMemPool_t pool : {pool_, queued_pool_})
      if (cudaMemPoolTrimTo(pool, 0) != cudaSuccess) cudaGetLastError();
  }
  // 0 where there is no pool, or it does not say.
  static std::uint64_t bytes_of(cudaMemPool_t pool, cudaMemPoolAttr what) {
    std::uint64_t bytes = 0;
    if (pool && cudaMemPoolGetAttribute(pool, what, &bytes) == cudaSuccess) return bytes;
    cudaGetLastError();
    return 0;
  }

  DeviceInfo info_;
  cudaMemPool_t pool_{}, queued_pool_{};
  // Of the pool, about: what others allocate while it is asked is missed until the next question.
  std::atomic<std::size_t> most_used_{0};
  static constexpr std::size_t pinned_bytes = std::size_t{1} << 18;
  void* pinned_ = nullptr;
  std::mutex guard_, kept_guard_, pinned_guard_;
  std::vector<void*> kept_;
  cudaStream_t aside_{};
};

struct Found {
  int count = 0;
  std::string why;
};

const Found& found() {
  static const Found f = [] {
    Found now;
    const cudaError_t status = cudaGetDeviceCount(&now.count);
    if (status != cudaSuccess) {
      cudaGetLastError();
      now.count = 0;
      // Without any driver the runtime calls it too old.
      int driver = 0;
      now.why = cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0
                    ? "no NVIDIA driver is installed"
                    : cudaGetErrorString(status);
    } else if (now.count == 0) {
      now.why = "no CUDA device is there";
    }
    return now;
  }();
  return f;
}

}  // namespace

std::string why_no_cuda_device() { return found().why; }
int cuda_devices() { return found().count; }
std::unique_ptr<Backend> make_cuda_backend(int index) {
  return std::make_unique<CudaBackend>(index);
}

int current_cuda_device() {
  int index = 0;
  check_cuda(cudaGetDevice(&index), "cudaGetDevice");
  return index;
}

void set_cuda_device(int index) { check_cuda(cudaSetDevice(index), "cudaSetDevice"); }

}  // namespace nz::simt
