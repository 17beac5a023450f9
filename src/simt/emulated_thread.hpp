#pragma once
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <nonzero/device.hpp>

#include "base/complex.hpp"
#include "simt/emulator.hpp"
#include "simt/launch.hpp"
#include "simt/pack.hpp"

// The device language on the emulator; simt.hpp says what each word means. Every word that waits
// for other threads goes through emulator::Fiber, every access to shared memory is checked.
#define NZ_DEVICE inline
#define NZ_HOST_DEVICE inline
#define NZ_UNROLL
#define NZ_ROLLED
#define NZ_UNROLL_BY(n)

namespace nz::emulated {

inline int bit_count(unsigned bits) { return std::popcount(bits); }

// An element of shared memory: reads and writes are told to the race detector. It is no value:
// `auto v = s[i]` would read later than it does on a GPU, and does not compile where v is used.
template <class V>
class SharedElement {
 public:
  SharedElement(emulator::Fiber* f, V* at, emulator::Cell* cell) : f_(f), at_(at), cell_(cell) {}
  SharedElement(const SharedElement&) = delete;
  operator V() const&& { return read(); }
  const SharedElement& operator=(V v) const&& {
    write(v);
    return *this;
  }
  const SharedElement& operator=(const SharedElement& other) const&& {
    write(other.read());
    return *this;
  }
  const SharedElement& operator+=(V v) const&& {
    write(read() + v);
    return *this;
  }
  const SharedElement& operator-=(V v) const&& {
    write(read() - v);
    return *this;
  }

 private:
  V read() const {
    f_->shared_read(*cell_);
    return *at_;
  }
  void write(V v) const {
    f_->shared_write(*cell_);
    *at_ = v;
  }
  emulator::Fiber* f_;
  V* at_;
  emulator::Cell* cell_;
};

template <class V>
class SharedArray {
 public:
  SharedArray(emulator::Fiber* f, emulator::Carved c, int n)
      : f_(f), data_(static_cast<V*>(c.data)), cells_(c.cells), size_(n) {}
  SharedElement<V> operator[](int i) const {
    check(i);
    return {f_, data_ + i, cells_ + i};
  }
  template <int n>
  Pack<V, n> pack(int i) const {
    Pack<V, n> all;
    for (int k = 0; k < n; ++k) all.at[k] = (*this)[i + k];
    return all;
  }
  void begin_copy(int i, const V* from, int n) const {  // for Thread::copy_async
    check(i);
    check(i + n - 1);
    f_->begin_copy(cells_ + i, n);
    std::copy_n(from, n, data_ + i);
  }
  V* atomic(int i) const {  // for Thread::atomic_add
    check(i);
    f_->shared_atomic(cells_[i]);
    return data_ + i;
  }

 private:
  void check(int i) const {
    if (i < 0 || i >= size_) f_->shared_overrun(cells_, i, size_);
  }
  emulator::Fiber* f_;
  V* data_;
  emulator::Cell* cells_;
  int size_;
};

class Thread {
  using Where = emulator::Where;
  using Touch = emulator::Touch;

 public:
  explicit Thread(emulator::Fiber* f) : f_(f) {}

  int index() const { return f_->thread; }
  int block_size() const { return f_->launch->threads; }
  int block() const { return f_->block; }
  int grid_size() const { return f_->launch->blocks; }
  std::int64_t global_index() const { return std::int64_t{block()} * block_size() + index(); }
  std::int64_t global_size() const { return std::int64_t{grid_size()} * block_size(); }
  int lane() const { return f_->thread % 32; }
  int warp() const { return f_->thread / 32; }
  int warps() const { return block_size() / 32; }

  template <class V>
  SharedArray<V> shared(int n) {
    static_assert(std::is_trivially_copyable_v<V>);
    return {f_, f_->carve(n, sizeof(V), alignof(V)), n};
  }

  void sync(Where where = Where::current()) { f_->barrier(where); }
  void sync_warp(Where where = Where::current()) { f_->warp_barrier(where); }

  template <class V>
  V shuffle(V v, int from, int width = 32, Where where = Where::current()) {
    check(width, where);
    return exchange(v, lane() / width * width + ((from % width) + width) % width, where);
  }
  template <class V>
  V shuffle_up(V v, int by, int width = 32, Where where = Where::current()) {
    check(width, where);
    return exchange(v, lane() % width < by ? lane() : lane() - by, where);
  }
  template <class V>
  V shuffle_down(V v, int by, int width = 32, Where where = Where::current()) {
    check(width, where);
    return exchange(v, lane() % width + by >= width ? lane() : lane() + by, where);
  }
  template <class V>
  V shuffle_xor(V v, int mask, int width = 32, Where where = Where::current()) {
    check(width, where);
    const int other = lane() ^ mask;
    return exchange(v, other / width > lane() / width ? lane() : other, where);
  }
  unsigned ballot(bool p, Where where = Where::current()) { return f_->vote(p, where); }
  bool any(bool p, Where where = Where::current()) { return f_->vote(p, where) != 0; }
  bool all(bool p, Where where = Where::current()) { return f_->vote(p, where) == 0xffffffffu; }

  template <class V>
  V atomic_add(V* p, std::type_identity_t<V> v) {
    tell(p, Touch::atomic);
    const V before = added(p, v);
    hear(p);
    return before;
  }
  template <class V>
  V atomic_add(const SharedArray<V>& s, int i, std::type_identity_t<V> v) {
    return added(s.atomic(i), v);
  }

  // A complex number's parts, one after the other.
  template <class R>
  KernelComplex<R> atomic_add(KernelComplex<R>* p, std::type_identity_t<KernelComplex<R>> v) {
    const R re = atomic_add(&p->re, v.re);
    return {re, atomic_add(&p->im, v.im)};
  }

  template <class V>
  V load(const V* p) const {
    tell(p, Touch::constant);
    return *p;
  }
  template <class V>
  V load(const ReadVector<V>& v) const {
    return v.of(load(v.at));
  }
  template <class V>
  V load_streaming(const V* p) const {
    tell(p, Touch::constant);
    return *p;
  }
  template <class V>
  V load_in_order(const V* p) const {
    return load(p);
  }
  template <class V>
  V load_in_order(const ReadVector<V>& v) const {
    return load(v);
  }
  void order_loads() const {}
  template <class V>
  V load_coherent(const V* p) const {
    tell(p, Touch::coherent);
    const V v = coherent(p);
    hear(p);
    return v;
  }
  template <class V>
  void store_streaming(V* p, std::type_identity_t<V> v) const {
    *p = v;
  }
  template <int n, class V>
  void copy_async(const SharedArray<V>& to, int i, const V* from) const {
    static_assert(n * sizeof(V) == 4 || n * sizeof(V) == 8 || n * sizeof(V) == 16);
    if (reinterpret_cast<std::uintptr_t>(from) % (n * sizeof(V)) != 0 || i % n != 0)
      f_->misaligned_copy(static_cast<int>(n * sizeof(V)));
    if constexpr (emulator::watches_memory) f_->global_touch(from, n * sizeof(V), Touch::read);
    to.begin_copy(i, from, n);
  }
  void commit_copies() const { f_->commit_copies(); }
  template <int pending>
  void wait_copies() const {
    f_->wait_copies(pending);
  }
  void fence() const {
    if constexpr (emulator::watches_memory) f_->global_fence();
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  void pause(Where where = Where::current()) { f_->pause(where); }

 private:
  void check(int width, Where where) const {
    if (width < 1 || width > 32 || !std::has_single_bit(static_cast<unsigned>(width)))
      f_->bad_width(width, where);
  }
  // Of words that touch device memory: before and after they do.
  template <class V>
  void tell(const V* p, Touch how) const {
    if constexpr (emulator::watches_memory) f_->global_touch(p, sizeof(V), how);
  }
  void hear(const void* p) const {
    if constexpr (emulator::watches_memory) f_->global_acquire(p);
  }
  template <class V>
  static V added(V* p, V v) {
    return std::atomic_ref<V>(*p).fetch_add(v, std::memory_order_relaxed);
  }
  template <class V>
  static V coherent(const V* p) {
    if constexpr (sizeof(V) <= 8) {
      return std::atomic_ref<V>(*const_cast<V*>(p)).load(std::memory_order_acquire);
    } else {  // no machine word: halves may come from different stores, as they may on a GPU
      using Half [[gnu::may_alias]] = std::uint64_t;
      const Half* at = reinterpret_cast<const Half*>(p);
      std::uint64_t words[sizeof(V) / 8];
      for (auto& word : words) word = __atomic_load_n(at++, __ATOMIC_ACQUIRE);
      V v;
      std::memcpy(&v, words, sizeof(V));
      return v;
    }
  }
  template <class V>
  V exchange(V v, int from, Where where) {
    static_assert(std::is_trivially_copyable_v<V> && sizeof(V) <= 16);
    if constexpr (sizeof(V) == 16) {  // in two words, as on a GPU
      std::uint64_t words[2];
      std::memcpy(words, &v, sizeof(V));
      for (std::uint64_t& word : words) word = f_->exchange(word, from, where);
      std::memcpy(&v, words, sizeof(V));
    } else {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &v, sizeof(V));
      bits = f_->exchange(bits, from, where);
      std::memcpy(&v, &bits, sizeof(V));
    }
    return v;
  }
  emulator::Fiber* f_;
};

// Runs the kernel to its end. No blocks: nothing.
template <class K>
void launch(const Launch& how, const K& kernel) {
  static_assert(std::is_trivially_copyable_v<K>);
  if (how.blocks <= 0) return;
  int max_threads = 1024;
  if constexpr (requires { K::max_threads; }) max_threads = K::max_threads;
  const auto body = [](const void* k, emulator::Fiber& f) {
    Thread t(&f);
    (*static_cast<const K*>(k))(t);
  };
  emulator::run({K::name, how.blocks, how.threads, max_threads, how.shared_bytes}, body, &kernel);
}

template <class K>
int resident_blocks(int, std::size_t) {
  return 2;
}

// The emulator has none to count.
template <class K>
int registers() {
  return 0;
}

inline Device current_device() { return emulator_device; }

}  // namespace nz::emulated
