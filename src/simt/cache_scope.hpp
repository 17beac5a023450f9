#pragma once
#include <cstdint>

namespace nz::simt {

// Whether what launches in this scope, on this thread, read by streaming loads stays in the
// device's cache: a matrix that fits comes from there when it is multiplied again. Without a scope
// it is what goes first.
class CacheScope {
 public:
  explicit CacheScope(bool stays) noexcept;
  ~CacheScope();
  CacheScope(const CacheScope&) = delete;
  CacheScope& operator=(const CacheScope&) = delete;

 private:
  bool before_;
};
bool streamed_stays() noexcept;

// The same as the loads of a CUDA device take it.
std::uint64_t cache_policy() noexcept;

}  // namespace nz::simt
