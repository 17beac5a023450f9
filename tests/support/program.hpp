#pragma once
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace nz::test {

struct Outcome {
  int code = -1;  // exit code; 128 + signal when a signal ended it
  std::string out;
  std::string err;
};

// Extra environment variables; an empty value takes a variable away.
using Environment = std::map<std::string, std::string>;

// Runs the nonzero program that this build made, stdin empty, in a UTF-8 locale without colour
// variables unless told otherwise.
Outcome nonzero(const std::vector<std::string>& arguments, const Environment& extra = {});

// The same with stdout going into that file.
Outcome nonzero_into(const std::string& stdout_path, const std::vector<std::string>& arguments);

// The same with stdout going to a pipe that nobody reads.
Outcome nonzero_into_closed_pipe(const std::vector<std::string>& arguments);

// The same with stdout and stderr on a terminal of 80 by 24 characters; `out` has both.
Outcome nonzero_on_terminal(const std::vector<std::string>& arguments,
                            const Environment& extra = {});

// The same, and Ctrl-C is typed once this text was seen.
Outcome nonzero_interrupted_on_terminal(const std::vector<std::string>& arguments,
                                        const std::string& seen);

// The same with so many bytes of data at most.
Outcome nonzero_with_memory(std::size_t bytes, const std::vector<std::string>& arguments);

// The same with files that grow to so many bytes at most, as on a disk that is full then.
Outcome nonzero_with_files(std::size_t bytes, const std::vector<std::string>& arguments);

class TempDir;

// The program while it runs; ended by force when nobody waited for it.
class Running {
 public:
  explicit Running(const std::vector<std::string>& arguments);
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  bool ended() const;
  void send(int signal) const;
  Outcome wait();

 private:
  std::unique_ptr<TempDir> dir_;
  int pid_ = 0;
};

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

}  // namespace nz::test
