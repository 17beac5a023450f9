#include "device/picked.hpp"

#include "base/instantiate.hpp"
#include "simt/launch_sizes.hpp"
#include "simt/simt.hpp"

namespace nz::NZ_HOME {
namespace {

template <class T>
struct PickPlaces {
  static constexpr const char* name = "pick places";
  std::int64_t n;
  const std::int64_t* places;
  const T* from;
  T* to;
  NZ_DEVICE void operator()(Thread& t) const {
    for (std::int64_t i = t.global_index(); i < n; i += t.global_size())
      to[i] = t.load(from + t.load(places + i));
  }
};

template <class T>
struct AddToPlaces {
  static constexpr const char* name = "add to places";
  std::int64_t n;
  const std::int64_t* places;
  const T* what;
  T* to;
  NZ_DEVICE void operator()(Thread& t) const {
    for (std::int64_t i = t.global_index(); i < n; i += t.global_size())
      to[t.load(places + i)] += t.load(what + i);
  }
};

template <class T>
struct CombineVectors {
  static constexpr const char* name = "combine vectors";
  std::int64_t n;
  T alpha;
  const T* s;
  T beta;
  T* y;
  NZ_DEVICE void operator()(Thread& t) const {
    for (std::int64_t i = t.global_index(); i < n; i += t.global_size()) {
      const T before = beta == T(0) ? T(0) : beta * y[i];
      y[i] = s                ? (beta == T(0) ? alpha * s[i] : alpha * s[i] + before)
             : alpha != alpha ? alpha
                              : before;
    }
  }
};

template <class Step>
void queue(CUstream_st* stream, const Step& step) {
  if (step.n == 0) return;
  Launch config = one_thread_each(step.n, 1 << 16);
  config.stream = stream;
  launch(config, step);
}

}  // namespace

template <Value T>
void pick_places(CUstream_st* stream, std::int64_t n, const std::int64_t* places, const T* from,
                 T* to) {
  queue(stream, PickPlaces<T>{n, places, from, to});
}

template <Value T>
void add_to_places(CUstream_st* stream, std::int64_t n, const std::int64_t* places, const T* what,
                   T* to) {
  queue(stream, AddToPlaces<T>{n, places, what, to});
}

template <Value T>
void combine_vectors(CUstream_st* stream, std::int64_t n, T alpha, const T* s, T beta, T* y) {
  queue(stream, CombineVectors<T>{n, alpha, s, beta, y});
}

#define NZ_INSTANTIATE(T)                                                                     \
  template void pick_places(CUstream_st*, std::int64_t, const std::int64_t*, const T*, T*);   \
  template void add_to_places(CUstream_st*, std::int64_t, const std::int64_t*, const T*, T*); \
  template void combine_vectors(CUstream_st*, std::int64_t, T, const T*, T, T*);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)

}  // namespace nz::NZ_HOME
