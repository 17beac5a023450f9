#include "simt/emulator_knowledge.hpp"

#include <algorithm>

namespace nz::emulated::emulator {

void Meetings::tell(const void* word, const std::vector<Release>& what) {
  const std::lock_guard lock(guard_);
  Meeting& m = words_[word];
  for (const Release& r : what) {
    Release& before = m.told[r.key()];
    if (before.at < r.at) before = r;
  }
  ++m.version;
  any_.store(true, std::memory_order_release);
}

std::vector<Release> Meetings::hear(const void* word, std::uint64_t& seen) {
  const std::lock_guard lock(guard_);
  const auto found = words_.find(word);
  std::vector<Release> all;
  if (found == words_.end() || found->second.version == seen) return all;
  seen = found->second.version;
  all.reserve(found->second.told.size());
  for (const auto& [key, r] : found->second.told) all.push_back(r);
  return all;
}

void Knowledge::begin_block(std::uint32_t block) {
  block_ = block & Stamp::last_block;
  now_ = barrier_ = 1;
  if (fenced_ != 0 || listened_) threads_ = {};
  fenced_ = 0;
  listened_ = false;
  warps_ = {};
  heard_.clear();
}

// A block that never fenced has told nobody anything.
void Knowledge::release(int thread, const void* word, Meetings& meetings) {
  if (fenced_ == 0) return;
  const WarpTimes& w = warps_[at(thread / 32)];
  std::vector<Release> all = {{block_, static_cast<std::uint32_t>(thread),
                               threads_[at(thread)].fenced, std::min(w.barrier, w.fenced),
                               std::min(barrier_, fenced_), now_}};
  for (const auto& [block, many] : heard_)
    for (const Heard& h : many)
      if (usable(h, thread)) all.push_back(h.what);
  meetings.tell(word, all);
  ++now_;
}

void Knowledge::acquire(int thread, const void* word, Meetings& meetings) {
  if (!meetings.any()) return;
  listened_ = true;
  ThreadTimes& mine = threads_[at(thread)];
  std::uint64_t seen = mine.word == word ? mine.version : 0;
  const std::vector<Release> all = meetings.hear(word, seen);
  mine.word = word;
  mine.version = seen;
  if (all.empty()) return;
  const std::uint32_t when = now_++;
  for (const Release& r : all) {
    if (r.block == block_ && r.thread == static_cast<std::uint32_t>(thread)) continue;
    std::vector<Heard>& many = heard_[r.block];
    // What the whole block knows makes all that was heard of the same thread before it superfluous.
    const auto newest = std::find_if(many.rbegin(), many.rend(), [&](const Heard& h) {
      return h.what.thread == r.thread && known_to_block(h);
    });
    if (newest != many.rend()) {
      const std::uint32_t known = newest->when;
      if (newest->what.at >= r.at) continue;
      std::erase_if(many,
                    [&](const Heard& h) { return h.what.thread == r.thread && h.when < known; });
    }
    many.push_back({r, thread, when});
  }
}

bool Knowledge::heard(Stamp s, int thread, bool atomic) const {
  const auto found = heard_.find(s.block());
  if (found == heard_.end()) return false;
  return std::any_of(found->second.begin(), found->second.end(),
                     [&](const Heard& h) { return h.what.covers(s, atomic) && usable(h, thread); });
}

}  // namespace nz::emulated::emulator
