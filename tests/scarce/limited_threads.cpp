#include "scarce/limited_threads.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <memory>

namespace {

std::atomic<int> living{0}, most{INT_MAX}, refused{0}, created{0};

struct Start {
  void* (*run)(void*);
  void* argument;
};

// Counted until it ends, by returning or by pthread_exit, which unwinds.
struct Alive {
  ~Alive() { --living; }
};

void* run_counted(void* p) {
  const std::unique_ptr<Start> start(static_cast<Start*>(p));
  const Alive alive;
  return start->run(start->argument);
}

using Create = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

}  // namespace

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*run)(void*), void* argument) {
  static const auto create = reinterpret_cast<Create*>(dlsym(RTLD_NEXT, "pthread_create"));
  if (++living > most) {
    --living;
    ++refused;
    return EAGAIN;
  }
  auto start = std::make_unique<Start>(Start{run, argument});
  const int failure = create(thread, attributes, run_counted, start.get());
  if (failure == 0) {
    start.release();
    ++created;
  } else {
    --living;
  }
  return failure;
}

namespace nz::test {

ThreadLimit::ThreadLimit(int more) { most = living + more; }
ThreadLimit::~ThreadLimit() { most = INT_MAX; }
int refused_threads() { return refused; }
int living_threads() { return living; }
int created_threads() { return created; }

}  // namespace nz::test
