#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

// Watches device memory: with NZ_EMU_RACES the compiler calls a function before every access of a
// kernel (emulator_hooks.cpp), which looks here who touched the word before. Reading what nobody
// wrote, stepping outside of an array, and two accesses without an order of which one writes are
// faults.
namespace nz::emulated::emulator {

#ifdef NZ_EMU_RACES
inline constexpr bool watches_memory = true;
#else
inline constexpr bool watches_memory = false;
#endif

// How a kernel touches memory. A coherent read (load_coherent) may meet atomics, and nothing else.
enum class Touch : char { read, constant, coherent, write, atomic };

class Fiber;

// The thread of a kernel that this OS thread runs now; null outside of kernels.
extern thread_local Fiber* running;

// Begins and ends to watch an array; its memory begins a page or lies within the first of its own,
// with `around` bytes before it that belong to nobody, and up to the end of its last page. False:
// no memory.
bool watch(unsigned char* begin, std::size_t bytes, std::size_t around);
void unwatch(unsigned char* begin) noexcept;

// Bytes that the host wrote, or copied from elsewhere on the device.
void host_wrote(const void* to, std::size_t bytes);
void host_copied(const void* to, const void* from, std::size_t bytes);
// Throws DeviceFault when something in the array was never written. For what stands for kernels.
void must_be_written(const void* at, std::size_t bytes, const char* by);

// Called before an access, from the code at `code`. Does not return from a fault in a kernel.
void touch(const void* at, std::size_t bytes, Touch how, const void* code);

}  // namespace nz::emulated::emulator
