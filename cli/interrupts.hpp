#pragma once

namespace nz::cli {

// From now on Ctrl-C, SIGTERM and SIGHUP, where they would end the program, first remove the files
// that are being written.
void tidy_when_interrupted();

// While it lives, the first Ctrl-C or SIGTERM is only noted; a second one ends the program.
class Interruptible {
 public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

  // The signal that was noted, 0 when there was none.
  static int noted();
};

}  // namespace nz::cli
