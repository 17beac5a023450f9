#include "io/unfinished.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

#include <nonzero/io.hpp>

namespace nz {
namespace {

// A list that only grows, so that a handler may walk it at any moment. Who exchanges a name for
// null owns it: a name is never freed while a handler reads it.
struct Slot {
  std::atomic<char*> name{nullptr};
  Slot* next = nullptr;
};
std::atomic<Slot*> slots{nullptr};
std::atomic<int> creating{0};
std::atomic<bool> closing{false};

std::atomic<char*>* keep(char* name) {
  for (Slot* s = slots; s != nullptr; s = s->next) {
    char* free = nullptr;
    if (s->name.compare_exchange_strong(free, name)) return &s->name;
  }
  auto* const slot = new Slot;
  slot->name = name;
  slot->next = slots;
  while (!slots.compare_exchange_weak(slot->next, slot)) {
  }
  return &slot->name;
}

// A handler that runs on this thread between open() and the moment the file is known would wait
// for itself.
class SignalsWait {
 public:
  SignalsWait() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
    ++creating;
  }
  ~SignalsWait() {
    --creating;
    const int code = errno;
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = code;
  }

 private:
  sigset_t before_;
};

}  // namespace

int Unfinished::create(const std::string& name) {
  name_ = ::strdup(name.c_str());
  if (name_ == nullptr) throw std::bad_alloc();
  try {
    slot_ = keep(name_);
  } catch (...) {
    std::free(name_);
    throw;
  }
  const SignalsWait wait;
  if (closing) {
    errno = ECANCELED;
    return -1;
  }
  return ::open(name_, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

void Unfinished::forget() {
  if (slot_ == nullptr) return;
  char* mine = name_;
  if (slot_->compare_exchange_strong(mine, nullptr)) std::free(name_);
  slot_ = nullptr;
}

void remove_unfinished_files() noexcept {
  const int code = errno;
  closing = true;
  // Whoever is at it has the file in a moment; nobody begins another.
  for (int tries = 0; creating > 0 && tries < 1000; ++tries) ::poll(nullptr, 0, 1);
  for (Slot* s = slots; s != nullptr; s = s->next)
    if (char* name = s->name.exchange(nullptr)) ::unlink(name);
  errno = code;
}

}  // namespace nz
