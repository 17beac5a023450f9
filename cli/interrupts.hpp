#pragma once

namespace nz::cli {

// From now on signals that would end the program (Ctrl-C, SIGTERM, a terminal that closes, Ctrl-\,
// the warnings of batch systems, alarms) first remove the files that are being written. A file that
// grows past a limit is an error of its writer.
void tidy_when_interrupted();

// While it lives, the first Ctrl-C or SIGTERM is only noted; a second one ends the program. A
// terminal that closes, and SIGUSR1, SIGUSR2 and SIGXCPU, by which batch systems warn, are only
// noted however often they come, also afterwards: what is left then is to write what there is.
class Interruptible {
 public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

  // The first signal that was noted, 0 when there was none.
  static int noted();
};

}  // namespace nz::cli
