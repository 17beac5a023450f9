#pragma once

// A world in which threads are scarce: this program's own pthread_create, which all libraries then
// call, refuses as the system does where a limit is reached.
namespace nz::test {

// While it lives, no more than `more` threads can live beside those that live now.
class ThreadLimit {
 public:
  explicit ThreadLimit(int more);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;
};

int refused_threads();  // so far
int living_threads();   // without the first
int created_threads();  // so far

}  // namespace nz::test
