#include "cli/interrupts.hpp"

#include <signal.h>
#include <unistd.h>

#include <atomic>

#include <nonzero/io.hpp>

#include "cli/terminal.hpp"

namespace nz::cli {
namespace {

constexpr int asked_to_end[] = {SIGINT, SIGTERM};
// A closing terminal may send SIGHUP twice, by the shell and by the system; SIGXCPU comes every
// second.
constexpr int warned[] = {SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU};
constexpr int others[] = {SIGQUIT, SIGALRM, SIGVTALRM};

std::atomic<int> noted_signal{0};
std::atomic<bool> on_terminal{false};

// What is ignored, as under nohup or in the background of a script, stays ignored.
void handle(int signal, void (*handler)(int), int flags) {
  struct sigaction now {
  }, action{};
  if (sigaction(signal, nullptr, &now) != 0 || now.sa_handler == SIG_IGN) return;
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(signal, &action, nullptr);
}

// The signal is the default one again when the handler begins, and is not held back meanwhile.
constexpr int once = static_cast<int>(SA_RESETHAND | SA_NODEFER);

void tidy_and_end(int signal) {
  remove_unfinished_files();
  // A progress bar, and the ^C behind it, have no end of line.
  if (on_terminal && (signal == SIGINT || signal == SIGQUIT))
    (void)!::write(STDERR_FILENO, "\n", 1);
  ::signal(signal, SIG_DFL);
  raise(signal);  // where the signal is held back, it ends the program when this returns
}

void note(int signal) {
  int none = 0;
  noted_signal.compare_exchange_strong(none, signal);
  for (const int end : asked_to_end) handle(end, tidy_and_end, once);
}

}  // namespace

void tidy_when_interrupted() {
  on_terminal = is_terminal(STDERR_FILENO);
  for (const int signal : asked_to_end) handle(signal, tidy_and_end, once);
  // Held back while its handler runs: a second one waits until all is removed.
  for (const int signal : warned) handle(signal, tidy_and_end, 0);
  for (const int signal : others) handle(signal, tidy_and_end, once);
  ::signal(SIGXFSZ, SIG_IGN);
}

Interruptible::Interruptible() {
  for (const int signal : asked_to_end) handle(signal, note, once);
  for (const int signal : warned) handle(signal, note, SA_RESTART);
}

Interruptible::~Interruptible() {
  for (const int signal : asked_to_end) handle(signal, tidy_and_end, once);
}

int Interruptible::noted() { return noted_signal; }

}  // namespace nz::cli
