#include "cli/progress.hpp"

#include <algorithm>
#include <utility>

#include <unistd.h>

#include <fmt/format.h>

#include "cli/terminal.hpp"
#include "lab/report/table.hpp"

namespace nz::cli {
namespace {

using namespace std::chrono_literals;
constexpr auto patience = 500ms;  // shorter work shows no bar
constexpr auto pause = 100ms;     // between two drawings
constexpr int bar_cells = 24;
constexpr std::string_view erase = "\r\033[K";

void put(std::string_view text) {
  // A bar that cannot be drawn is no reason to stop.
  [[maybe_unused]] const auto n = ::write(STDERR_FILENO, text.data(), text.size());
}

std::string bar(double share) {
  const int filled = static_cast<int>(share * bar_cells);
  std::string s;
  for (int i = 0; i < bar_cells; ++i)
    s += utf8_locale() ? (i < filled ? "█" : "░") : (i < filled ? "#" : ".");
  return s;
}

}  // namespace

ProgressBar::ProgressBar(std::string title)
    : title_(std::move(title)),
      on_(is_terminal(STDERR_FILENO) && talk() == Talk::usual),
      next_(start_ + patience) {}

ProgressBar::~ProgressBar() {
  if (drawn_) put(erase);
}

void ProgressBar::update(std::uint64_t done, std::uint64_t total, std::string_view what) {
  if (!on_ || total == 0 || Clock::now() < next_) return;
  next_ = Clock::now() + pause;
  drawn_ = true;
  const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const double elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
  const std::string left = left_text(elapsed, share);
  const std::string tail =
      fmt::format(" {} {:3.0f} %{}{}", bar(share), 100 * share, left.empty() ? "" : ", ", left);
  std::string head = title_;
  if (!what.empty()) head.append(" ").append(what);
  // A line that wraps cannot be erased.
  const auto width = static_cast<std::size_t>(terminal_size(STDERR_FILENO).columns);
  const std::size_t used = lab::display_width(tail) + 1;
  if (lab::display_width(head) + used > width)
    head.resize(std::min(head.size(), width > used ? width - used : 0));
  put(std::string(erase) + head + tail);
}

std::string left_text(double elapsed_seconds, double share) {
  constexpr double least_seconds = 1, least_share = 0.02;
  if (elapsed_seconds < least_seconds || share < least_share || share >= 1) return "";
  const double seconds = elapsed_seconds / share * (1 - share);
  if (seconds < 90) return fmt::format("{:.0f} s left", std::max(1.0, seconds));
  if (seconds < 90 * 60) return fmt::format("{:.0f} min left", seconds / 60);
  return fmt::format("{:.1f} h left", seconds / 3600);
}

}  // namespace nz::cli
