#include "lab/bench/device_bandwidth.hpp"

#include "simt/simt.hpp"

namespace nz::NZ_HOME {
namespace {

struct Fill {
  static constexpr const char* name = "memory test: fill";
  double* a;
  std::int64_t n;
  NZ_DEVICE void operator()(Thread& t) const {
    for (std::int64_t i = t.global_index(); i < n; i += t.global_size()) a[i] = memory_value(i);
  }
};

struct Nothing {
  static constexpr const char* name = "nothing";
  NZ_DEVICE void operator()(Thread&) const {}
};

}  // namespace

void queue_nothing(CUstream_st* stream) {
  launch({.blocks = 1, .threads = 32, .stream = stream}, Nothing{});
}

void queue_fill(CUstream_st* stream, double* a, std::int64_t n, int blocks) {
  launch({.blocks = blocks, .threads = reading_block, .stream = stream}, Fill{a, n});
}

}  // namespace nz::NZ_HOME
