#include <cstddef>
#include <cstdint>

#include "simt/emulator_watch.hpp"

// What the compiler calls for -fsanitize=thread, of which only the instrumentation is used: before
// every access that kernels make, and in place of every atomic. There is no such library beside it.
// Atomics only do what they say here: the words of the device language tell of them, with what they
// mean (Thread in emulated_thread.hpp).
#ifdef NZ_EMU_RACES

using nz::emulated::emulator::Touch;
using nz::emulated::emulator::touch;

#define NZ_HOOK(name, bytes, how) \
  void name(void* at) { touch(at, bytes, how, __builtin_return_address(0)); }
#define NZ_HOOKS(bytes)                                     \
  NZ_HOOK(__tsan_read##bytes, bytes, Touch::read)           \
  NZ_HOOK(__tsan_write##bytes, bytes, Touch::write)         \
  NZ_HOOK(__tsan_unaligned_read##bytes, bytes, Touch::read) \
  NZ_HOOK(__tsan_unaligned_write##bytes, bytes, Touch::write)

#define NZ_ATOMIC_CHANGE(bits, type, name)                                  \
  type __tsan_atomic##bits##_fetch_##name(volatile type* at, type v, int) { \
    return __atomic_fetch_##name(at, v, __ATOMIC_SEQ_CST);                  \
  }
#define NZ_ATOMICS(bits, type)                                                                   \
  type __tsan_atomic##bits##_load(const volatile type* at, int) {                                \
    return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                                \
  }                                                                                              \
  void __tsan_atomic##bits##_store(volatile type* at, type v, int) {                             \
    __atomic_store_n(at, v, __ATOMIC_SEQ_CST);                                                   \
  }                                                                                              \
  type __tsan_atomic##bits##_exchange(volatile type* at, type v, int) {                          \
    return __atomic_exchange_n(at, v, __ATOMIC_SEQ_CST);                                         \
  }                                                                                              \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile type* at, type* there, type v, int, \
                                                    int) {                                       \
    return __atomic_compare_exchange_n(at, there, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
  }                                                                                              \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile type* at, type* there, type v, int,   \
                                                  int) {                                         \
    return __atomic_compare_exchange_n(at, there, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
  }                                                                                              \
  NZ_ATOMIC_CHANGE(bits, type, add)                                                              \
  NZ_ATOMIC_CHANGE(bits, type, sub)                                                              \
  NZ_ATOMIC_CHANGE(bits, type, and)                                                              \
  NZ_ATOMIC_CHANGE(bits, type, or)                                                               \
  NZ_ATOMIC_CHANGE(bits, type, xor)                                                              \
  NZ_ATOMIC_CHANGE(bits, type, nand)

extern "C" {

NZ_HOOK(__tsan_read1, 1, Touch::read)
NZ_HOOK(__tsan_write1, 1, Touch::write)
NZ_HOOKS(2)
NZ_HOOKS(4)
NZ_HOOKS(8)
NZ_HOOKS(16)

void __tsan_read_range(void* at, std::size_t bytes) {
  touch(at, bytes, Touch::read, __builtin_return_address(0));
}
void __tsan_write_range(void* at, std::size_t bytes) {
  touch(at, bytes, Touch::write, __builtin_return_address(0));
}

NZ_ATOMICS(8, std::uint8_t)
NZ_ATOMICS(16, std::uint16_t)
NZ_ATOMICS(32, std::uint32_t)
NZ_ATOMICS(64, std::uint64_t)

void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
void __tsan_vptr_update(void*, void*) {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_init() {}
}

#endif
