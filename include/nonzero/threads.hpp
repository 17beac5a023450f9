#pragma once
#include <nonzero/export.hpp>

namespace NZ_API nz {

// How many threads the library uses when it builds, reads, generates or multiplies. Starts as
// what OpenMP would use (OMP_NUM_THREADS, or all cores).
int threads();

// Throws InvalidArgument for n < 1.
void set_threads(int n);

// Binds each thread of the team that the calling thread starts, the calling thread first, to a
// processor of its own, and keeps it there from then on: also threads that the team gains later.
// What lies beyond threads() of now is bound to none. The processors are those that the caller may
// run on, a core's second hardware thread only when every core is taken. They follow the order of
// the cores, an equal share of each memory node after the other, so that neighbouring parts of an
// array are first written, and so placed, where they are read. hwloc knows the order where the
// library was built with it; otherwise it is the system's numbering.
//
// Call it before the matrix is made, and again after another number of threads. Worth it for a
// program that has the machine to itself; the library never does it unasked. Threads that the
// caller starts by other means inherit its one processor; so do those of kernels with OpenMP
// directives of their own, unless the team before was as large.
//
// Returns false and binds nothing anew where it cannot: fewer processors than threads(), threads
// that OpenMP places itself (OMP_PROC_BIND), or a system other than Linux.
bool pin_threads();

// Another number for what the calling thread starts while the object lives.
class ThreadScope {
 public:
  // Throws InvalidArgument for n < 1.
  explicit ThreadScope(int n);
  ~ThreadScope();
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;

 private:
  int before_;
};

}  // namespace nz
