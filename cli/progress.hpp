#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace nz::cli {

// A bar on stderr with the time that is left, drawn only on a terminal, neither with --quiet nor
// --verbose, and only when the work takes more than half a second; gone without a trace when the
// object is.
class ProgressBar {
 public:
  explicit ProgressBar(std::string title);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void update(std::uint64_t done, std::uint64_t total, std::string_view what = {});

 private:
  using Clock = std::chrono::steady_clock;
  std::string title_;
  bool on_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now(), next_;
};

// "42 s left", "5 min left"; "" where too little was done to tell.
std::string left_text(double elapsed_seconds, double share);

}  // namespace nz::cli
