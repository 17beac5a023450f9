#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "simt/backend.hpp"
#include "simt/emulator.hpp"
#include "simt/emulator_watch.hpp"
#include "simt/sanitizers.hpp"
#include "simt/setup_scope.hpp"

namespace nz::simt {
namespace {

constexpr std::size_t zone = 256;  // before and after every allocation
// What is watched has its pages for itself.
constexpr std::size_t alignment = emulated::emulator::watches_memory ? 4096 : zone;
constexpr unsigned char zone_byte = 0xa5, fresh_byte = 0xff;  // fresh numbers are NaN
constexpr std::size_t budget = std::size_t{16} << 30;

// Memory of the emulated device is memory of the host between two zones that nobody may write.
class EmulatorBackend final : public Backend {
 public:
  EmulatorBackend() {
    info_.device = emulator_device;
    info_.description = "emulator on this machine";
    info_.processors = 2;
    info_.memory_bytes = info_.free_bytes = budget;
    info_.shared_bytes = emulated::emulator::max_shared_bytes;
  }

  void copy(void* to, const void* from, std::size_t bytes, CUstream_st* stream) override {
    count_request();
    check_stream(stream);
    check_copy(to, bytes);
    check_copy(from, bytes);
    if (bytes > 0) std::memmove(to, from, bytes);
    if constexpr (emulated::emulator::watches_memory)
      emulated::emulator::host_copied(to, from, bytes);
  }
  void copy_queued(void* to, const void* from, std::size_t bytes, CUstream_st* stream) override {
    copy(to, from, bytes, stream);
  }

  void clear(void* memory, std::size_t bytes, CUstream_st* stream) override {
    count_request();
    copy(memory, std::string(bytes, '\0').data(), bytes, stream);
  }

  // Nothing is ever under way; this is when writes outside of arrays come to light.
  void wait(CUstream_st* stream) override {
    count_request();
    check_stream(stream);
    const std::lock_guard lock(guard_);
    for (const auto& [begin, bytes] : ranges_)
      if (!intact(begin, bytes))
        broken_ = fmt::format("emu: something wrote outside of an allocation of {} bytes", bytes);
    if (!broken_.empty()) throw DeviceFault(std::exchange(broken_, {}));
  }

  bool try_wait_for_all() override {  // see wait()
    count_request();
    return true;
  }

  CUstream_st* make_stream() override {
    count_request();
    const std::lock_guard lock(guard_);
    auto* stream = reinterpret_cast<CUstream_st*>(new char);
    streams_.insert(stream);
    return stream;
  }
  void end_stream(CUstream_st* stream) noexcept override {
    count_request();
    const std::lock_guard lock(guard_);
    if (streams_.erase(stream) > 0) delete reinterpret_cast<char*>(stream);
  }
  void check_stream(CUstream_st* stream) override {
    count_request();
    if (!stream) return;
    const std::lock_guard lock(guard_);
    if (!streams_.contains(stream))
      throw InvalidArgument("a stream that is not one of emu for work on emu");
  }

  // Work is done when it returns, so it does no harm that an address is used again.
  StreamKey key_of(CUstream_st* stream) override {
    count_request();
    return {reinterpret_cast<std::uintptr_t>(stream), 0};
  }

  void tell_when_over(CUstream_st*, std::shared_ptr<std::atomic<bool>>) override {}

  bool owns(const void* address) override {
    if (known_to_lie_on(emulator_device, address)) return true;
    count_request();
    const std::lock_guard lock(guard_);
    const auto* at = static_cast<const unsigned char*>(address);
    auto after = ranges_.upper_bound(const_cast<unsigned char*>(at));
    if (after == ranges_.begin()) return false;
    const auto& [begin, bytes] = *--after;
    const bool there = static_cast<std::size_t>(at - begin) < bytes;
    if (there) lies_there(emulator_device, address);
    return there;
  }

  std::size_t trim() override { return 0; }  // released memory goes at once
  const DeviceInfo& info() override {
    count_request();
    return info_;
  }
  std::size_t free_bytes() override {
    count_request();
    const std::lock_guard lock(guard_);
    return budget - used_;
  }

 protected:
  void* try_allocate(std::size_t bytes) override {
    count_request();
    const std::lock_guard lock(guard_);
    if (bytes > budget - used_) return nullptr;
    const std::size_t whole = (zone + bytes + zone + alignment - 1) / alignment * alignment;
    const auto free = [](unsigned char* p) { std::free(p); };
    std::unique_ptr<unsigned char, decltype(free)> kept(
        static_cast<unsigned char*>(std::aligned_alloc(alignment, whole)), free);
    unsigned char* const memory = kept.get();
    if (!memory) return nullptr;
    unsigned char* begin = memory + zone;
    [[maybe_unused]] const auto range = ranges_.emplace(begin, bytes).first;  // may throw
    if constexpr (emulated::emulator::watches_memory)
      if (!emulated::emulator::watch(begin, bytes, zone)) {
        ranges_.erase(range);
        return nullptr;
      }
    kept.release();
    std::memset(memory, zone_byte, zone);
    std::memset(begin, fresh_byte, bytes);
    std::memset(begin + bytes, zone_byte, zone);
    used_ += bytes;
#ifdef NZ_ASAN  // finds the place of the write, and reads too
    __asan_poison_memory_region(memory, zone);
    __asan_poison_memory_region(begin + bytes, zone);
#endif
    return begin;
  }

  void do_release(void* memory) noexcept override {
    count_request();
    const std::lock_guard lock(guard_);
    const auto at = ranges_.find(static_cast<unsigned char*>(memory));
    if (at == ranges_.end()) return;
    forget_addresses();
    const auto [begin, bytes] = *at;
    if (!intact(begin, bytes))  // told by the next wait()
      broken_ = fmt::format("emu: something wrote outside of an allocation of {} bytes", bytes);
    used_ -= bytes;
    if constexpr (emulated::emulator::watches_memory) emulated::emulator::unwatch(begin);
    ranges_.erase(at);
#ifdef NZ_ASAN
    __asan_unpoison_memory_region(begin - zone, zone + bytes + zone);
#endif
    std::free(begin - zone);
  }

  void* try_allocate_queued(std::size_t bytes, CUstream_st* stream) override {
    check_stream(stream);
    return try_allocate(bytes);
  }
  void do_release_queued(void* memory, CUstream_st*) noexcept override { do_release(memory); }
  void* try_allocate_aside(std::size_t bytes, std::size_t zeros) override {
    void* memory = try_allocate(bytes);
    if (memory) clear(memory, zeros, nullptr);
    return memory;
  }

  void* try_allocate_pinned(std::size_t bytes) override { return std::malloc(bytes ? bytes : 1); }
  void do_release_pinned(void* memory) noexcept override { std::free(memory); }

 private:
  // CUDA refuses copies that go beyond the end of an allocation.
  void check_copy(const void* address, std::size_t bytes) {
    const std::lock_guard lock(guard_);
    const auto* const at = static_cast<const unsigned char*>(address);
    auto after = ranges_.upper_bound(const_cast<unsigned char*>(at));
    if (after == ranges_.begin()) return;
    const auto& [begin, all] = *--after;
    const auto offset = static_cast<std::size_t>(at - begin);
    if (offset < all && bytes > all - offset)
      throw DeviceFault(fmt::format(
          "emu: a copy of {} bytes from byte {} on of an allocation of {}", bytes, offset, all));
  }

  static bool intact([[maybe_unused]] const unsigned char* begin,
                     [[maybe_unused]] std::size_t bytes) {
#ifdef NZ_ASAN
    return true;
#else
    static const std::string good(zone, static_cast<char>(zone_byte));
    return std::memcmp(begin - zone, good.data(), zone) == 0 &&
           std::memcmp(begin + bytes, good.data(), zone) == 0;
#endif
  }

  DeviceInfo info_;
  std::mutex guard_;
  std::map<unsigned char*, std::size_t> ranges_;
  std::set<CUstream_st*> streams_;
  std::size_t used_ = 0;
  std::string broken_;
};

}  // namespace

std::unique_ptr<Backend> make_emulator_backend() { return std::make_unique<EmulatorBackend>(); }

}  // namespace nz::simt
