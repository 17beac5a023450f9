#include "cli/interrupts.hpp"

#include <signal.h>

#include <atomic>

#include <nonzero/io.hpp>

namespace nz::cli {
namespace {

std::atomic<int> noted_signal{0};

// The signal is the default one again when a handler begins, and is not held back meanwhile. What
// is ignored, as under nohup or in the background of a script, stays ignored.
void handle(int signal, void (*handler)(int)) {
  struct sigaction now {
  }, action{};
  if (sigaction(signal, nullptr, &now) != 0 || now.sa_handler == SIG_IGN) return;
  action.sa_handler = handler;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
  sigaction(signal, &action, nullptr);
}

void tidy_and_end(int signal) {
  remove_unfinished_files();
  raise(signal);
}

void note(int signal) {
  noted_signal = signal;
  handle(SIGINT, tidy_and_end);
  handle(SIGTERM, tidy_and_end);
}

}  // namespace

void tidy_when_interrupted() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) handle(signal, tidy_and_end);
}

Interruptible::Interruptible() {
  handle(SIGINT, note);
  handle(SIGTERM, note);
}

Interruptible::~Interruptible() {
  handle(SIGINT, tidy_and_end);
  handle(SIGTERM, tidy_and_end);
}

int Interruptible::noted() { return noted_signal; }

}  // namespace nz::cli
