#include "device/value_codes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "base/instantiate.hpp"
#include "device/fetch.hpp"
#include "simt/backend.hpp"
#include "simt/launch_sizes.hpp"

// The table grows in rounds: values that a sample of all has, then those that a pass over all
// misses. In a pass the first thread that misses a value claims the value's hash and reports it, so
// what is reported is new and different; values that share a hash wait for the next round. The set
// at the end, and so the table, does not depend on who came first.
namespace nz::NZ_HOME {
namespace {

constexpr std::int64_t sample_size = 2048;
constexpr int most = 256, claims = 4096, claim_bits = 12;

// The codes without a table that a value cannot have, a bit each.
enum : unsigned { not_single = 1, not_half = 2, not_bfloat = 4 };
NZ_HOST_DEVICE unsigned inexact_as(double v) {
  return bits_of(static_cast<double>(static_cast<float>(v))) == bits_of(v) ? 0u : not_single;
}
NZ_HOST_DEVICE unsigned inexact_as(float v) {
  return (bits_of(half_value(half_bits(v))) == bits_of(v) ? 0u : not_half) |
         ((bits_of(v) & 0xffffu) == 0 ? 0u : not_bfloat);
}

template <class T>
struct Sample {
  static constexpr const char* name = "sample values";
  std::int64_t n, wanted;
  const T* values;
  Bits<T>* to;
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t i = t.global_index();
    if (i < wanted) to[i] = bits_of(t.load(values + i * n / wanted));
  }
};

// What passes report: numbers, and the bits of values that were missed. The host fetches what comes
// before the claims.
template <class T>
struct Report {
  unsigned missed;
  unsigned inexact[3];  // by code: single, half, bfloat; not 0: a value is not exact
  Bits<T> values[most];
  unsigned claimed[claims];
};

template <class T>
struct Look {
  static constexpr const char* name = "look for values";
  static constexpr int each = 4;
  std::int64_t n;
  const T* values;
  ValueLookup<T> lookup;
  unsigned room;  // for values that the table lacks
  bool few;
  unsigned plain;  // the codes without a table that are looked for
  Report<T>* report;

  static std::size_t shared_bytes() {
    return ValueLookup<T>::slots * (sizeof(Bits<T>) + sizeof(std::uint16_t));
  }
  NZ_DEVICE void operator()(Thread& t) const {
    const auto keys = t.shared<Bits<T>>(lookup.slots);
    const auto codes = t.shared<std::uint16_t>(lookup.slots);
    for (int i = t.index(); few && i < lookup.slots; i += t.block_size()) {
      keys[i] = t.load(lookup.keys + i);
      codes[i] = t.load(lookup.codes + i);
    }
    t.sync();
    const std::int64_t step = std::int64_t{each} * t.block_size();
    for (std::int64_t k = t.block() * step + t.index(); k < n; k += step * t.grid_size()) {
      const bool list = few && t.load_coherent(&report->missed) <= room;
      unsigned left = 0;  // of them
      for (int c = 0; c < 3; ++c)
        if ((plain >> c & 1u) != 0 && t.load_coherent(report->inexact + c) == 0) left |= 1u << c;
      if (!list && left == 0) return;
      T v[each];
      NZ_UNROLL
      for (int j = 0; j < each; ++j)
        v[j] = t.load_streaming(values + (k + j * t.block_size() < n ? k + j * t.block_size() : k));
      NZ_UNROLL
      for (int j = 0; j < each; ++j) {
        if (const unsigned wrong = left & inexact_as(v[j]); wrong != 0)
          for (int c = 0; c < 3; ++c)
            if ((wrong >> c & 1u) != 0 && t.load_coherent(report->inexact + c) == 0)
              t.atomic_add(report->inexact + c, 1u);
        if (!list) continue;
        const Bits<T> bits = bits_of(v[j]);
        const int code = lookup.find(
            bits, [&](int i) { return Bits<T>(keys[i]); },
            [&](int i) { return int{std::uint16_t(codes[i])}; });
        if (code == lookup.none) claim(t, bits);
      }
    }
  }

 private:
  NZ_DEVICE void claim(Thread& t, Bits<T> bits) const {
    unsigned* mine = report->claimed + (lookup.hash(bits) >> (64 - claim_bits));
    if (t.load_coherent(mine) != 0 || t.atomic_add(mine, 1u) != 0) return;
    const unsigned at = t.atomic_add(&report->missed, 1u);
    if (at < most) report->values[at] = bits;
  }
};

template <Value T>
class Finder {
  using Lookup = ValueLookup<T>;

 public:
  Finder(const T* values, std::int64_t n, bool shorts)
      : device_(current_device()),
        values_(values),
        n_(n),
        plain_(sizeof(T) == 8 ? not_single
               : shorts       ? not_half | not_bfloat
                              : 0u) {}

  ValueCodes<T> find(std::span<const Bits<T>> sample) {
    look_at_sample(sample);
    if (n_ > sample_size && (few_ || plain_ != 0))
      look_at_all();
    else if (few_)
      fill_lookup();
    ValueCodes<T> found;
    if (few_) {
      found.code = known_.size() == 1 ? ValueCode::constant : ValueCode::table;
      found.different = static_cast<int>(known_.size());
      std::vector<T> table(table_size(found.code), T(0));
      std::memcpy(table.data(), known_.data(), known_.size() * sizeof(T));
      found.constant = table[0];
      found.table = {device_, std::span<const T>(table)};
    } else {
      found.code = (plain_ & not_bfloat) != 0   ? ValueCode::bfloat
                   : (plain_ & not_half) != 0   ? ValueCode::half
                   : (plain_ & not_single) != 0 ? ValueCode::single
                                                : ValueCode::full;
    }
    if (found.code == ValueCode::table) {
      found.found = lookup();
      found.memory = std::move(memory_);
    }
    return found;
  }

 private:
  // Values that came before need no second look, and beyond the most for a table none has to be
  // known.
  void look_at_sample(std::span<const Bits<T>> sample) {
    std::array<Bits<T>, Lookup::slots> seen{};
    std::array<bool, Lookup::slots> taken{};
    few_ = true;
    for (const Bits<T> bits : sample) {
      if (!few_ && plain_ == 0) return;
      if (few_) {
        unsigned at = Lookup::slot(bits);
        while (taken[at] && seen[at] != bits) at = (at + 1) % Lookup::slots;
        if (taken[at]) continue;
        taken[at] = true;
        seen[at] = bits;
        known_.push_back(bits);
        few_ = known_.size() <= most;
      }
      T v;
      std::memcpy(&v, &bits, sizeof v);
      plain_ &= ~inexact_as(v);
    }
    if (few_) std::sort(known_.begin(), known_.end());
  }

  // What the lookup is on the host.
  struct Places {
    std::array<Bits<T>, Lookup::slots> keys;
    std::array<std::uint16_t, Lookup::slots> codes;
  };
  static_assert(sizeof(Report<T>) % alignof(Places) == 0);
  Report<T>* report() { return reinterpret_cast<Report<T>*>(memory_.data()); }
  Places* places() { return reinterpret_cast<Places*>(memory_.data() + sizeof(Report<T>)); }
  ValueLookup<T> lookup() { return {places()->keys.data(), places()->codes.data()}; }
  // Both in one piece of memory.
  void reserve() {
    if (memory_.size() == 0) memory_ = {device_, sizeof(Report<T>) + sizeof(Places)};
  }

  void fill_lookup() {
    Places here{};
    here.codes.fill(Lookup::none);
    for (std::size_t i = 0; i < known_.size(); ++i) {
      unsigned at = Lookup::slot(known_[i]);
      while (here.codes[at] != Lookup::none) at = (at + 1) % Lookup::slots;
      here.keys[at] = known_[i];
      here.codes[at] = static_cast<std::uint16_t>(i);
    }
    reserve();
    detail::device_copy(device_, places(), &here, sizeof here, {});
  }

  void look_at_all() {
    for (unsigned plain = plain_; few_ || plain != 0; plain = 0) {
      reserve();
      if (few_) fill_lookup();
      simt::backend(device_).clear(report(), sizeof(Report<T>), nullptr);
      const auto room = static_cast<unsigned>(few_ ? most - known_.size() : 0);
      launch({.blocks = blocks_for(n_, 256 * Look<T>::each, 2048),
              .threads = 256,
              .shared_bytes = Look<T>::shared_bytes()},
             Look<T>{n_, values_, lookup(), room, few_, plain, report()});
      struct {
        unsigned missed, inexact[3];
        Bits<T> values[most];
      } said;
      static_assert(sizeof said == offsetof(Report<T>, claimed));
      detail::device_copy(device_, &said, report(), sizeof said, {});
      for (unsigned c = 0; c < 3; ++c)
        if (said.inexact[c] != 0) plain_ &= ~(1u << c);
      if (few_ && said.missed == 0) return;  // all known
      few_ = few_ && said.missed <= room;
      if (!few_) continue;
      known_.insert(known_.end(), said.values, said.values + said.missed);
      std::sort(known_.begin(), known_.end());
    }
  }

  Device device_;
  const T* values_;
  std::int64_t n_;
  DeviceArray<std::byte> memory_;  // once all are looked at
  std::vector<Bits<T>> known_;     // in their order
  bool few_ = false;
  unsigned plain_;  // the codes without a table that nothing has ruled out yet
};

}  // namespace

template <Value T>
DeviceArray<Bits<T>> sample_values(const T* values, std::int64_t n) {
  const std::int64_t wanted = std::min(n, sample_size);
  DeviceArray<Bits<T>> sample(current_device(), static_cast<std::size_t>(wanted));
  if (wanted > 0) launch(one_thread_each(wanted), Sample<T>{n, wanted, values, sample.data()});
  return sample;
}

template <Value T>
ValueCodes<T> find_value_codes(const T* values, std::int64_t n, std::span<const Bits<T>> sample,
                               bool shorts) {
  if (n > 0) return Finder<T>(values, n, shorts).find(sample);
  ValueCodes<T> none;
  const T zero = 0;
  none.code = ValueCode::constant;
  none.table = {current_device(), std::span(&zero, 1)};
  return none;
}

template <Value T>
ValueCodes<T> find_value_codes(const T* values, std::int64_t n, bool shorts) {
  const DeviceArray<Bits<T>> sample = sample_values(values, n);
  const std::vector<Bits<T>> here = fetch(sample.data(), sample.size());
  return find_value_codes(values, n, std::span<const Bits<T>>(here), shorts);
}

#define NZ_INSTANTIATE(T)                                                \
  template ValueCodes<T> find_value_codes(const T*, std::int64_t, bool); \
  template DeviceArray<Bits<T>> sample_values(const T*, std::int64_t);   \
  template ValueCodes<T> find_value_codes(const T*, std::int64_t, std::span<const Bits<T>>, bool);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)

}  // namespace nz::NZ_HOME
