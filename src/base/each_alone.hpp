#pragma once
#include "base/parallel.hpp"

namespace nz {

// body(i) for every i below n, on as many threads as there are, the same i on the same thread every
// time. To the body it is as if there were one thread: what it calls makes no team of its own. The
// team is a whole one even where some have nothing to do: OpenMP ends the threads that a smaller
// one leaves out, and the next has to create them again.
template <class Body>
void each_alone(int n, Body&& body) {
  parallel(n > 1 ? threads() : 1, [&](int thread, int count) {
    const ThreadScope alone(1);
    for (int i = thread; i < n; i += count) body(i);
  });
}

}  // namespace nz
