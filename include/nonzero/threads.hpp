#pragma once

namespace nz {

// How many threads the library uses when it builds, reads, generates or multiplies. Starts as
// what OpenMP would use (OMP_NUM_THREADS, or all cores).
int threads();

// Throws InvalidArgument for n < 1.
void set_threads(int n);

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
