#pragma once
#include "simt/simt.hpp"
#include "simt/warp.hpp"

// Where the parts of one sum meet that several warps or blocks have: each writes its part to global
// memory and arrives at a counter; the last to arrive reads all parts and adds them in their order.
// Nobody waits, and the sum has the same bits whoever comes last.
//
// The order of memory: a part is written before a fence, the fence before the arrival; the last
// arrival comes before a fence, that before the parts are read, past the caches (load_coherent).
namespace nz::NZ_HOME {

struct Meeting {
  unsigned* arrived;  // 0 before the first arrival
  int parts;          // how many arrive

  // For one thread, behind a fence. Who is told true calls all_are_here() before it reads.
  NZ_DEVICE bool arrive(Thread& t) const {
    return t.atomic_add(arrived, 1u) + 1 == static_cast<unsigned>(parts);
  }
  NZ_DEVICE static void all_are_here(Thread& t) { t.fence(); }

  // For all lanes of a warp whose lanes have written its parts, behind publish_lanes(): whether it
  // is the last. Then all parts can be read.
  NZ_DEVICE static void publish_lanes(Thread& t) {
    t.fence();
    t.sync_warp();
  }
  NZ_DEVICE bool last_warp(Thread& t) const {
    bool last = false;
    if (t.lane() == 0) last = arrive(t);
    return see_all(t, last);
  }

  // The same where lane 0 alone has a part, which goes to `*to`.
  template <class T>
  NZ_DEVICE bool last_warp_with(Thread& t, T* to, T part) const {
    bool last = false;
    if (t.lane() == 0) {
      *to = part;
      t.fence();
      last = arrive(t);
    }
    return see_all(t, last);
  }

  // For one thread of the last, once the sum is made: ready for the next product.
  NZ_DEVICE void reset() const { *arrived = 0; }

 private:
  NZ_DEVICE static bool see_all(Thread& t, bool last) {
    if (!t.any(last)) return false;
    t.sync_warp();  // what lane 0 has seen, all lanes see
    all_are_here(t);
    return true;
  }
};

// The sum of a row of which `m.parts` warps have a part each, this one the part `mine`, in lane 0.
// `at(i)` is where part i lies while they meet; `put(sum)` is called once, by a lane of the last.
template <class T, class At, class Put>
NZ_DEVICE void meet_and_sum(Thread& t, const Meeting& m, int mine, T part, At&& at, Put&& put) {
  if (!m.last_warp_with(t, at(mine), part)) return;
  T sum = 0;
  NZ_ROLLED
  for (int i = t.lane(); i < m.parts; i += 32) sum += t.load_coherent(at(i));
  sum = reduce_to_first_lane(t, sum);
  if (t.lane() != 0) return;
  m.reset();
  put(sum);
}

}  // namespace nz::NZ_HOME
