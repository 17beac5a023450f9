#pragma once
#include <string>

#include <gtest/gtest.h>
#include <nonzero/error.hpp>

#include "simt/simt.hpp"

namespace nz::test {

using emulated::Thread;

template <class F>
struct Tested {
  static constexpr const char* name = "tested";
  F body;
  void operator()(Thread& t) const { body(t); }
};

// Runs body(thread) as a kernel named "tested".
template <class F>
void run(int blocks, int threads, std::size_t shared_bytes, F body) {
  emulated::launch({blocks, threads, shared_bytes, nullptr}, Tested<F>{body});
}

// The message of the fault that the kernel ends with; empty when it ends well.
template <class F>
std::string fault(int blocks, int threads, std::size_t shared_bytes, F body) {
  try {
    run(blocks, threads, shared_bytes, body);
  } catch (const DeviceFault& e) {
    return e.what();
  }
  return "";
}

// Every fault names the kernel, the block and the thread, and how to see it again.
inline void expect_fault(const std::string& message, const std::string& part) {
  EXPECT_NE(message.find(part), std::string::npos) << message;
  EXPECT_NE(message.find("kernel tested, block "), std::string::npos) << message;
  EXPECT_NE(message.find(", thread "), std::string::npos) << message;
  EXPECT_NE(message.find("(NZ_EMU_SEED="), std::string::npos) << message;
}

}  // namespace nz::test
