#pragma once
#include <algorithm>
#include <cstdint>
#include <span>

#include <nonzero/device.hpp>

#include "kernels/gpu/gpu_product.hpp"
#include "kernels/gpu/packed/slices.hpp"
#include "device/sort_scan.hpp"
#include "device/value_codes.hpp"

// Lists of runs that several slices have are stored once. Of the slices whose lists hash to the
// same slot one owns it; others that have the same list, compared run by run, take the owner's.
// Which slice owns a slot depends on who comes first, but products do not.
namespace nz::NZ_HOME {

struct SliceTotals {
  std::int64_t runs, values, picks, equal;  // stored runs; others, picks, runs of one value
  unsigned far;                             // slices that span too much for 2 bytes a pick
  unsigned too_long;                        // slices with rows that are too long
  unsigned unlisted;                        // slices with more runs than there is room for
};

// What is known of slices without their lists.
struct SliceSharing {
  enum Which { runs, values, picks, equal, kinds };
  std::int64_t slices, slots;  // slots: a power of 2
  std::uint64_t* hash;         // slices
  std::uint32_t* owner;        // slices: who has the list
  std::uint32_t* claimed;      // slots
  std::uint32_t* claimer;      // slots
  std::int64_t* counts;        // kinds * slices + 1, then what comes before
  SliceTotals* totals;

  NZ_DEVICE std::int64_t before(Thread& t, Which kind, std::int64_t s) const {
    return t.load(counts + kind * slices + s) - t.load(counts + kind * slices);
  }
  NZ_DEVICE std::int64_t list_start(Thread& t, std::int64_t s) const {
    return before(t, runs, t.load(owner + s));
  }
  NZ_DEVICE void put_totals(Thread& t) const {
    totals->runs = before(t, runs, slices);
    totals->values = before(t, values, slices);
    totals->picks = before(t, picks, slices);
    totals->equal = before(t, equal, slices);
  }
  // By all threads of the grid; of all that it takes to find owners.
  NZ_DEVICE void clear(Thread& t) const {
    for (std::int64_t i = t.global_index(); i < slots; i += t.global_size()) claimed[i] = 0;
    if (t.global_index() == 0) counts[kinds * slices] = 0;
  }
};

template <class T>
struct SliceLists : SliceSharing {
  int room;              // runs a slice
  Run<T>* scratch_runs;  // room * slices: a slice's runs of one value forwards, others from the end

  NZ_DEVICE Run<T>* place(std::int64_t s, bool one, std::uint32_t i) const {
    return scratch_runs + s * room + (one ? std::int64_t{i} : std::int64_t{room} - 1 - i);
  }
  NZ_DEVICE bool listed(std::uint32_t n) const { return n <= static_cast<std::uint32_t>(room); }
  // By one thread.
  NZ_DEVICE void put(Thread& t, std::int64_t s, std::uint32_t equals, std::uint32_t others,
                     std::uint32_t its_picks, std::uint64_t its_hash) const {
    hash[s] = its_hash;
    counts[values * slices + s] = others;
    counts[picks * slices + s] = its_picks;
    counts[equal * slices + s] = equals;
    if (!listed(equals + others)) t.atomic_add(&totals->unlisted, 1u);
  }
};

template <class V>
NZ_DEVICE std::uint64_t hash_run(std::uint64_t hash, const SliceMask& mask, index_t diagonal,
                                 V value, bool one) {
  const auto put = [&](std::uint64_t word) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  };
  put(std::uint64_t{mask.at[0]} << 32 | mask.at[1]);
  put(std::uint64_t{mask.at[2]} << 32 | mask.at[3]);
  put(static_cast<std::uint64_t>(std::int64_t{diagonal} * 2 + one));
  put(value);
  return hash;
}

struct ClaimSlots {
  static constexpr const char* name = "claim slots for lists";
  SliceSharing shares;
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t s = t.global_index();
    if (s >= shares.slices) return;
    const std::int64_t slot = t.load(shares.hash + s) & (shares.slots - 1);
    std::uint32_t* claim = shares.claimed + slot;
    if (t.load_coherent(claim) == 0 && t.atomic_add(claim, 1u) == 0)
      shares.claimer[slot] = static_cast<std::uint32_t>(s);
  }
};

// A warp a slice.
template <class T>
struct CompareLists {
  static constexpr const char* name = "compare lists";
  SliceLists<T> lists;
  const SliceStart* starts;

  NZ_DEVICE void operator()(Thread& t) const {
    for (std::int64_t s = t.global_index() / 32; s < lists.slices; s += t.global_size() / 32) {
      const std::int64_t slot = t.load(lists.hash + s) & (lists.slots - 1);
      const std::uint32_t claimer = t.load(lists.claimer + slot);
      const SliceStart mine = t.load(starts + s), its = t.load(starts + claimer);
      const std::uint32_t n = mine.equal + mine.others();
      bool same = lists.listed(n) && mine.equal == its.equal && mine.others() == its.others();
      if (claimer != s && same)
        for (std::uint32_t i = static_cast<std::uint32_t>(t.lane()); i < n; i += 32) {
          const bool one = i < mine.equal;
          const std::uint32_t k = one ? i : i - mine.equal;
          same = same && equal_runs(t, *lists.place(s, one, k), *lists.place(claimer, one, k));
        }
      same = t.all(same);
      if (t.lane() != 0) continue;
      lists.owner[s] = same ? claimer : static_cast<std::uint32_t>(s);
      lists.counts[lists.runs * lists.slices + s] = same && claimer != s ? 0 : n;
    }
  }
  static NZ_DEVICE bool equal_runs(Thread& t, const Run<T>& l, const Run<T>& r) {
    using Words = Pack<std::uint32_t, 4>;
    const auto words = [&](const Run<T>& run) {
      return t.load(reinterpret_cast<const Words*>(&run.rows));
    };
    const Words lw = words(l), rw = words(r);
    const auto lh = t.load(&l.head), rh = t.load(&r.head);
    return lw.at[0] == rw.at[0] && lw.at[1] == rw.at[1] && lw.at[2] == rw.at[2] &&
           lw.at[3] == rw.at[3] && lh.diagonal == rh.diagonal &&
           bits_of(lh.value) == bits_of(rh.value);
  }
};

// Those that owners have, and for which there was room, where they belong. A warp a slice.
template <class T>
struct WriteLists {
  static constexpr const char* name = "write lists";
  SliceLists<T> lists;
  const SliceStart* starts;
  Run<T>* to;
  NZ_DEVICE void operator()(Thread& t) const {
    for (std::int64_t s = t.global_index() / 32; s < lists.slices; s += t.global_size() / 32) {
      if (t.load(lists.owner + s) != s) continue;
      const SliceStart start = t.load(starts + s);
      const std::uint32_t n = start.equal + start.others();
      if (!lists.listed(n)) continue;
      for (std::uint32_t i = static_cast<std::uint32_t>(t.lane()); i < n; i += 32) {
        const bool one = i < start.equal;
        to[start.list + i] = *lists.place(s, one, one ? i : i - start.equal);
      }
    }
  }
};

// All that in one piece of memory, and the passes over it.
template <Value T>
class ListMemory {
 public:
  SliceLists<T> lists{};

  // `mean` is that of the rows' lengths: stencils have about as many runs.
  ListMemory(Device device, std::int64_t slices, double mean) : device_(device) {
    lists.slices = slices;
    lists.room = static_cast<int>(std::clamp(1.25 * mean + 4, 8.0, 64.0));
    for (lists.slots = 1024; lists.slots < 2 * slices; lists.slots *= 2) continue;
    std::size_t bytes = 0;
    carve(bytes, nullptr);
    memory_ = {device, bytes};
    bytes = 0;
    carve(bytes, memory_.data());
  }

  void clear_totals() { simt::backend(device_).clear(lists.totals, sizeof(SliceTotals), nullptr); }

  // After the slices were counted: who has whose list, and what comes before each.
  void find_shared(const SliceStart* starts) {
    if (lists.slices == 0)  // no thread to write the one number that is summed
      simt::backend(device_).clear(lists.counts, sizeof(std::int64_t), nullptr);
    launch(one_thread_each(lists.slices), ClaimSlots{lists});
    launch(one_thread_each(lists.slices * 32, 1 << 20), CompareLists<T>{lists, starts});
    exclusive_sum(SliceSharing::kinds * lists.slices + 1, lists.counts, lists.counts);
  }
  void write(const SliceStart* starts, Run<T>* to) const {
    launch(one_thread_each(lists.slices * 32, 1 << 20), WriteLists<T>{lists, starts, to});
  }

 private:
  template <class V>
  static void take(std::size_t& bytes, std::byte* memory, V*& part, std::int64_t n) {
    part = memory ? reinterpret_cast<V*>(memory + bytes) : nullptr;
    bytes += (static_cast<std::size_t>(n) * sizeof(V) + 255) / 256 * 256;
  }
  void carve(std::size_t& bytes, std::byte* memory) {
    const std::int64_t n = lists.slices;
    take(bytes, memory, lists.scratch_runs, n * lists.room);
    take(bytes, memory, lists.hash, n);
    take(bytes, memory, lists.counts, SliceSharing::kinds * n + 1);
    take(bytes, memory, lists.owner, n);
    take(bytes, memory, lists.claimed, lists.slots);
    take(bytes, memory, lists.claimer, lists.slots);
    take(bytes, memory, lists.totals, 1);
  }

  Device device_;
  DeviceArray<std::byte> memory_;
};

}  // namespace nz::NZ_HOME
