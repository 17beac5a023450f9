// Everything that can fail once does: each operation is run again and again with the first, the
// second, ... of its allocations, threads, opened files, writes and renames failing. It must throw
// an error of the library or do without; keep nothing, leave no file that is not whole, and work
// again afterwards. Every round is a process of its own: one that dies is a finding, and the next
// one goes on behind it.
//   nonzero-brutal [--points N] [--only TEXT]
#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nonzero/threads.hpp>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "brutal/commands.hpp"
#include "brutal/fail.hpp"
#include "brutal/operations.hpp"
#include "brutal/rounds.hpp"
#include "simt/backend.hpp"
#include "support/temp_dir.hpp"

namespace nz::brutal {
namespace {

namespace fs = std::filesystem;

// How something fails: calls of a kind, in a process where the operation has run before, or in one
// where it has not, so that threads and what is read once are still to come.
struct Way {
  int kind;
  bool first;
  std::string name() const {
    const std::string base = kind == device_kind ? "device" : nz_fail_name(kind);
    return first ? base + ", first run" : base;
  }
  static constexpr int device_kind = nz_fail_kinds;
};
constexpr Way ways[] = {
    {nz_fail_memory, false}, {nz_fail_memory, true},  {nz_fail_map, true},
    {nz_fail_thread, true},  {nz_fail_open, true},    {nz_fail_write, false},
    {nz_fail_sync, false},   {nz_fail_rename, false}, {Way::device_kind, false}};
constexpr int device_kind = Way::device_kind;

void begin(int kind, std::int64_t after) {
  nz_fail_pause();
  if (kind == device_kind)
    simt::fail_allocation_after(static_cast<int>(after));
  else
    nz_fail_begin(kind, after);
}
std::int64_t end(int kind) {
  if (kind == device_kind) simt::fail_allocation_after(-1);
  return nz_fail_end();
}

// Which of the library's errors are right where that was short.
bool documented(int kind, const std::exception& e) {
  if (kind <= nz_fail_thread || kind == device_kind)
    return dynamic_cast<const NoResource*>(&e) != nullptr;
  return dynamic_cast<const Error*>(&e) != nullptr;
}

std::string text_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> all;
  for (const auto& e : fs::directory_iterator(folder)) all.push_back(e.path().filename().string());
  std::sort(all.begin(), all.end());
  return all;
}

// What one failure led to; empty: what is documented.
std::string fail_once(const Operation& op, int kind, std::int64_t point, bool& thrown) {
  std::string wrong;
  begin(kind, point);
  try {
    op.run();
    end(kind);
  } catch (const std::logic_error& e) {
    end(kind);
    wrong = std::string("a failure was survived, but: ") + e.what();
  } catch (const std::exception& e) {
    end(kind);
    thrown = true;
    if (!documented(kind, e)) wrong = fmt::format("{}: {}", typeid(e).name(), e.what());
  } catch (...) {
    end(kind);
    wrong = "an unknown exception";
  }
  return wrong;
}

// Calls of that kind in one run. Those on devices are counted by failing: the first number that
// gets by.
std::int64_t count(const Operation& op, int kind) {
  if (kind != device_kind) {
    begin(kind, -1);
    op.run();
    return end(kind);
  }
  for (std::int64_t n = 0;; ++n) {
    bool thrown = false;
    fail_once(op, kind, n, thrown);
    if (!thrown) return n;
  }
}

// Whether more blocks are kept after each of some repetitions: a buffer that grew once is no leak.
bool keeps_every_time(const Operation& op, int kind, std::int64_t point) {
  for (int time = 0; time < 4; ++time) {
    const std::int64_t live = nz_fail_live();
    bool thrown = false;
    fail_once(op, kind, point, thrown);
    op.run();
    if (nz_fail_live() <= live) return false;
  }
  return true;
}

// In the child: points from round.next on, all of them, or one where the way is that of a first
// run. `round` is where the parent sees it.
void fail_in_turn(const Operation& op, Way way, const std::string& folder, std::int64_t most,
                  Round& round) {
  const bool writes = !op.file.empty();
  if (!way.first) {  // caches, pools and the threads of OpenMP come to be
    op.run();
    op.run();
  }
  if (round.points < 0) {
    round.points = count(op, way.kind);
    round.done = round.points == 0;
    if (way.first) return;
  }
  std::string whole;
  if (writes && !way.first) whole = text_of(op.file);
  auto expected = names_in(folder);
  if (writes) std::erase(expected, fs::path(op.file).filename().string());
  const std::int64_t step = std::max<std::int64_t>(1, (round.points + most - 1) / most);
  while (round.next < round.points) {
    const std::int64_t n = round.next;
    round.next = n + step;
    round.now = n;
    round.done = round.next >= round.points && way.first;
    if (writes) fs::remove(op.file);
    const std::int64_t live = nz_fail_live();
    const std::size_t there = simt::live_allocations();
    bool thrown = false;
    std::string wrong = fail_once(op, way.kind, n, thrown);
    ++round.tried;
    ++(thrown ? round.refused : round.survived);
    const std::string left = writes && fs::exists(op.file) ? text_of(op.file) : "";
    if (writes && !thrown && left.empty()) wrong = "said that it wrote a file that is not there";
    if (auto now = names_in(folder); writes) {
      std::erase(now, fs::path(op.file).filename().string());
      if (now != expected) wrong = "left a file behind";
    }
    // With everything there again it works, and nothing more is kept than before.
    try {
      op.run();
    } catch (const std::exception& e) {
      wrong = std::string("does not work afterwards: ") + e.what();
    }
    if (writes && way.first) whole = text_of(op.file);
    if (writes && !left.empty() && left != whole) wrong = "left a file that is not whole";
    if (writes && text_of(op.file) != whole) wrong = "writes another file afterwards";
    if (!way.first && wrong.empty()) {
      const auto kept = static_cast<std::int64_t>(simt::live_allocations() - there);
      if (kept > 0) wrong = fmt::format("{} allocations on the device kept", kept);
      if (nz_fail_live() > live && keeps_every_time(op, way.kind, n)) wrong = "keeps memory";
    }
    if (!wrong.empty()) round.add(n, wrong);
    if (way.first) return;
  }
  round.done = true;
}

int run_all(std::int64_t most, const std::string& only) {
  const test::TempDir dir;
  const std::string folder = dir("");
  set_threads(2);
  auto* shared = static_cast<Round*>(
      mmap(nullptr, sizeof(Round), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (shared == MAP_FAILED) throw Error("no memory to share");
  Table table;
  std::vector<std::string> list;
  std::vector<bool> there;
  {
    // Made again in every child: a process that has threads cannot be copied.
    const ThreadScope one(1);
    for (const Operation& op : operations(folder)) {
      list.push_back(op.name);
      there.push_back(op.on_device);
    }
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].find(only) == list[i].npos) continue;
    for (const Way way : ways) {
      if (way.kind == device_kind && !there[i]) continue;
      *shared = Round{};
      const auto again = [&] {
        std::vector<Operation> all;
        {
          const ThreadScope one(1);  // a first run finds no threads yet
          all = operations(folder);
        }
        // A process takes longer than a failure.
        const std::int64_t points = way.first ? std::min<std::int64_t>(most, 60) : most;
        fail_in_turn(all[i], way, folder, points, *shared);
      };
      table.add(list[i], way.name(), in_processes(*shared, again));
    }
  }
  run_commands(table, most, only, folder);
  return table.print();
}

}  // namespace
}  // namespace nz::brutal

int main(int argc, char** argv) {
  std::int64_t most = 1'000'000;
  std::string only;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--points") == 0) most = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--only") == 0) only = argv[i + 1];
  }
  try {
    return nz::brutal::run_all(most, only);
  } catch (const std::exception& e) {
    std::cerr << "brutal: " << e.what() << '\n';
    return 2;
  }
}
