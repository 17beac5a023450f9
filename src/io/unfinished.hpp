#pragma once
#include <atomic>
#include <string>

namespace nz {

// The name of a file that is being written, kept where remove_unfinished_files() finds it even
// from a signal handler.
class Unfinished {
 public:
  Unfinished() = default;
  ~Unfinished() { forget(); }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

  // Creates the file, which must not exist. Returns its descriptor, or -1 with errno.
  int create(const std::string& name);
  // It has become a finished file, or is gone.
  void forget();

 private:
  std::atomic<char*>* slot_ = nullptr;
  char* name_ = nullptr;
};

}  // namespace nz
