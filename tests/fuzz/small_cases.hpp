#pragma once
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include <nonzero/device.hpp>
#include <nonzero/error.hpp>
#include <nonzero/threads.hpp>

#include "soak/trial.hpp"

// What the targets that multiply have in common: small cases on the CPU and, where it was built in,
// on the emulator.
namespace nz::fuzz {

inline const trials::Limits& small_cases() {
  static const trials::Limits limits = [] {
    set_threads(1);  // plans say how many they take
    trials::Limits l{.rows = 150, .nonzeros = 900, .emulated_rows = 50, .emulated_nonzeros = 200};
    for (const DeviceInfo& d : devices())
      if (d.device == emulator_device) l.devices = {"cpu", "cpu", "cpu", "emu"};
    l.thorough = false;  // the clock is no part of a case
    l.sharing = false;   // nor is the order of threads
    return l;
  }();
  return limits;
}

[[noreturn]] inline void give_up(const trials::Case& c, const char* kind, const char* what) {
  std::fprintf(stderr, "%s: %s\n%s\n", kind, what, c.text().c_str());
  std::abort();
}

inline void run(const trials::Case& c) {
  try {
    trials::run(c);
  } catch (const trials::Found& e) {
    give_up(c, e.kind.c_str(), e.what());
  } catch (const std::exception& e) {
    give_up(c, "unexpected exception", e.what());
  }
}

}  // namespace nz::fuzz
