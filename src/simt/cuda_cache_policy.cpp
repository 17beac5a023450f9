#include "simt/cache_scope.hpp"

namespace nz::simt {
namespace {

// What createpolicy.fractional makes for whole accesses, and cuda::access_property of
// <cuda/annotated_ptr> with it: `normal`, which gives up what was made to persist too, and
// `streaming`.
constexpr std::uint64_t normal = 0x16F0000000000000, streaming = 0x12F0000000000000;

}  // namespace

std::uint64_t cache_policy() noexcept { return streamed_stays() ? normal : streaming; }

}  // namespace nz::simt
