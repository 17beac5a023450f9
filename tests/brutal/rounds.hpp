#pragma once
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

namespace nz::brutal {

// One operation with one kind of failure, in memory that a child and its parent share.
struct Round {
  std::int64_t points = -1;  // calls of that kind; below 0: not counted yet
  std::int64_t next = 0, now = -1;
  std::int64_t tried = 0, refused = 0, survived = 0, findings = 0;
  bool done = false;
  char said[6][300] = {};  // the first findings

  void add(std::int64_t point, const std::string& what) {
    if (findings < 6) {
      const std::string line = point < 0 ? what : fmt::format("point {}: {}", point, what);
      std::snprintf(said[findings], sizeof(said[0]), "%s", line.c_str());
    }
    ++findings;
  }
};

// Runs `body` in a child, again where that dies or stops before the end, until all points are
// through.
template <class Body>
Round in_processes(Round& shared, Body&& body) {
  while (!shared.done) {
    std::cout.flush();
    const pid_t child = fork();
    if (child < 0) {
      shared.add(-1, "cannot fork");
      return shared;
    }
    if (child == 0) {
      alarm(300);  // a hang ends as a death
      try {
        body();
        _exit(0);
      } catch (const std::exception& e) {
        shared.add(shared.now, std::string("cannot even begin: ") + e.what());
        shared.done = true;
      }
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
    shared.add(shared.now,
               WIFSIGNALED(status)
                   ? fmt::format("died of signal {}", WTERMSIG(status))
                   : fmt::format("the process was ended with exit code {}", WEXITSTATUS(status)));
    ++shared.tried;
    if (shared.points < 0 || shared.findings > 200) return shared;
  }
  return shared;
}

// What all rounds came to.
class Table {
 public:
  void add(const std::string& operation, const std::string& kind, const Round& r) {
    if (r.points == 0 && r.findings == 0) return;
    std::cout << fmt::format(
        "{:<26} {:<17} {:>7} points, {:>6} tried: {:>6} refused, {:>6} survived", operation, kind,
        r.points, r.tried, r.refused, r.survived);
    if (r.findings > 0) std::cout << fmt::format(", {} FOUND", r.findings);
    std::cout << '\n';
    for (std::int64_t i = 0; i < r.findings && i < 6; ++i) std::cout << "    " << r.said[i] << '\n';
    std::cout.flush();
    points_ += r.points > 0 ? r.points : 0;
    tried_ += r.tried;
    findings_ += r.findings;
  }
  int print() const {
    std::cout << fmt::format("brutal: {} points, {} tried, {} found\n", points_, tried_, findings_);
    return findings_ == 0 && tried_ > 0 ? 0 : 1;
  }

 private:
  std::int64_t points_ = 0, tried_ = 0, findings_ = 0;
};

}  // namespace nz::brutal
