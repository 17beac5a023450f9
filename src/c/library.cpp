#include <nonzero/device.hpp>
#include <nonzero/error.hpp>
#include <nonzero/nonzero.h>
#include <nonzero/threads.hpp>
#include <nonzero/version.hpp>

#include "c/guard.hpp"

// What belongs to no handle: errors, the version, threads, devices and their memory.
using namespace nz::c;

const char* nz_status_name(nz_status status) {
  switch (status) {
    case NZ_OK:
      return "ok";
    case NZ_INVALID_ARGUMENT:
      return "invalid argument";
    case NZ_BAD_INPUT:
      return "bad input";
    case NZ_REFUSED:
      return "refused";
    case NZ_NO_RESOURCE:
      return "no resource";
    case NZ_DEVICE_FAULT:
      return "device fault";
    case NZ_FAILED:
      return "failed";
    case NZ_INTERNAL:
      return "internal error";
    default:
      return "unknown status";
  }
}

const char* nz_last_error(void) { return last_error(); }

nz_status nz_fail(nz_status status, const char* text) { return failure(status, text ? text : ""); }

// The text of version() is a literal, with a 0 behind it.
const char* nz_version(void) { return nz::version().data(); }

int32_t nz_threads(void) { return nz::threads(); }

nz_status nz_set_threads(int32_t threads) {
  return guarded([&] { nz::set_threads(threads); });
}

nz_status nz_device_check(const char* device) {
  return guarded([&] { nz::device_named(&given(device, "device")); });
}

nz_status nz_device_allocate(void** memory, const char* device, size_t bytes) {
  if (memory) *memory = nullptr;
  return guarded([&] {
    given(memory, "memory");
    const nz::Device there = nz::device_named(&given(device, "device"));
    if (bytes > 0) *memory = nz::detail::device_allocate(there, bytes);
  });
}

nz_status nz_device_free(void* memory, const char* device) {
  return guarded([&] {
    const nz::Device there = nz::device_named(&given(device, "device"));
    if (there == nz::cpu_device) throw nz::InvalidArgument("cpu has no memory of its own");
    if (memory) nz::detail::device_release(there, memory);
  });
}

nz_status nz_device_copy(void* to, const void* from, size_t bytes, const char* device) {
  return guarded([&] {
    const nz::Device there = nz::device_named(&given(device, "device"));
    array(static_cast<char*>(to), bytes, "to");
    array(static_cast<const char*>(from), bytes, "from");
    if (bytes == 0) return;
    nz::detail::device_copy(there, to, from, bytes, {});
    nz::wait_for(there);  // within the device it is only queued
  });
}
