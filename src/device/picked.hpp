#pragma once
#include <cstdint>

#include <nonzero/device.hpp>
#include <nonzero/types.hpp>

// Steps of products of wide matrices on vectors in the current device's memory, queued on a stream:
// the door for those who are compiled for no device, a function in each home.
namespace nz {

#define NZ_DECLARE_PICKED(home)                                                                    \
  namespace home {                                                                                 \
  /* to[i] = from[places[i]] for i below n. */                                                     \
  template <Value T>                                                                               \
  void pick_places(CUstream_st* stream, std::int64_t n, const std::int64_t* places, const T* from, \
                   T* to);                                                                         \
  /* to[places[i]] += what[i]; no place comes twice. */                                            \
  template <Value T>                                                                               \
  void add_to_places(CUstream_st* stream, std::int64_t n, const std::int64_t* places,              \
                     const T* what, T* to);                                                        \
  /* y = alpha s + beta y without reading y where beta = 0; with s = null y = beta y, and where    \
     alpha is NaN y = alpha. */                                                                    \
  template <Value T>                                                                               \
  void combine_vectors(CUstream_st* stream, std::int64_t n, T alpha, const T* s, T beta, T* y);    \
  }
NZ_DECLARE_PICKED(cuda)
NZ_DECLARE_PICKED(emulated)
#undef NZ_DECLARE_PICKED

}  // namespace nz
