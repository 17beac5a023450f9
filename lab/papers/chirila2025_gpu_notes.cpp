#include "lab/papers/chirila2025_gpu_notes.hpp"

#include <cmath>
#include <string>

#include <fmt/format.h>

#include "lab/papers/chirila2025.hpp"
#include "lab/papers/published.hpp"

namespace nz::lab::chirila2025 {
namespace {

double best(const GpuFigures& f, const GpuKernel& k) {
  const auto found = f.best.find(k.id);
  return found == f.best.end() ? no_figure : fastest(found->second).seconds;
}

// The compiler whose code for shared atomics on doubles was looked at, and for what: nvcc 13.0,
// which a program has the runtime of. Versions are told as 1000 major + 10 minor.
bool looked_at(const DeviceInfo& d) {
  const int capability = 10 * d.major + d.minor;
  return d.runtime / 10 == 1300 && (capability == 90 || capability == 100);
}

std::string about_atomics(const GpuFigures& f) {
  const DeviceInfo& d = f.device;
  const double issue =
      static_cast<double>(d.processors) * d.clock_mhz / (P100::processors * P100::clock_mhz);
  std::string text =
      "The paper explains its times by the loop of compare-and-swap that Pascal needs for atomic "
      "additions to doubles in shared memory. ";
  text += looked_at(d) ? fmt::format(
                             "CUDA {}.{} compiles the same loop for this GPU's compute capability "
                             "{}.{}. ",
                             d.runtime / 1000, d.runtime % 1000 / 10, d.major, d.minor)
                       : "What the compiler of this run makes of them was not looked at. ";
  return text + fmt::format(
                    "{} multiprocessors at {} MHz instead of {} at {} can run {:.1f} times as many "
                    "such loops{}.",
                    d.processors, d.clock_mhz, P100::processors, P100::clock_mhz, issue,
                    std::isnan(f.peak)
                        ? std::string()
                        : fmt::format(", while memory gives {:.1f} times as much: contention "
                                      "weighs more",
                                      f.peak / P100::peak));
}

std::string about_l1(const GpuFigures& f) {
  // Five doubles each of 2048 threads, as many as a block has rows.
  constexpr int wanted = 2048 * block * 8 / 1024;
  const int l1 = published_processor(f.device).l1_kib;
  if (l1 == 0) return "";
  return fmt::format(
      "The threads' private sums, {} of 8 bytes each, take {} KiB of a full multiprocessor of 2048 "
      "threads. The P100 had {} KiB of L1 for them; here L1 and shared memory have {} KiB "
      "together, {}.",
      block, wanted, P100::l1_kib, l1,
      wanted < l1 - 32 ? "so that they stay there and fewer threads have less to win"
                       : "which is still little for them");
}

std::string about_registers(const GpuFigures& f) {
  const auto found = f.best.find(unrolled.id);
  if (found == f.best.end()) return "";
  const auto of = [&](int threads) {
    const auto l = found->second.find(threads);
    return l == found->second.end() ? Launch{} : l->second;
  };
  const Launch small = of(32), large = of(1024);
  if (std::isnan(small.registers)) return "";
  std::string text = fmt::format(
      "Compiled here the kernel has {:.0f} registers a thread, 77 in the paper.", small.registers);
  if (large.max_blocks > 0)
    text += fmt::format(
        " With 1024 threads a launch bound holds the compiler to {:.0f}, so that it can run; the "
        "paper's could not.",
        large.registers);
  return text;
}

std::string about_counting(const GpuFigures& f) {
  bool hot = false;
  for (const auto& [kernel, launches] : f.best)
    hot = hot || !std::isnan(fastest(launches).hot_seconds);
  return fmt::format(
      "Throughput as the paper counts: {} times the bytes of values, block columns, block offsets, "
      "x and y, each once ({:.2f} MB), over the time. Efficiency is that over the published peak "
      "of "
      "memory{}; 'of read' over what a plain sum of an array reached in this run{}. The paper's "
      "cuSPARSE is cusparseDbsrmv; the speedup here is over the faster of the two calls.{}",
      products, f.bytes / 1e6,
      std::isnan(f.peak)
          ? " (not known for this GPU)"
          : fmt::format(" ({:.0f} GB/s; the P100's {:.1f})", f.peak / 1e9, P100::peak / 1e9),
      std::isnan(f.read) ? "" : fmt::format(" ({:.0f} GB/s)", f.read / 1e9),
      hot ? " Back to back: the caches are not flushed in between, as in the paper." : "");
}

}  // namespace

void add_notes(const GpuFigures& f, std::vector<Comparison>& tables) {
  const auto say = [&](const char* start, const std::string& text) {
    for (Comparison& c : tables)
      if (!text.empty() && c.title.starts_with(start)) c.notes.push_back(text);
  };
  if (f.device.device.kind == Device::Kind::cuda) {
    say("Table 7:", about_atomics(f));
    say("Table 9:", about_l1(f));
    say("Table 10:",
        "A thread adds to shared memory once for each piece of a block row: how many meet there "
        "is table 11's grade of contention, the same on any GPU.");
    say("Table 12:", about_registers(f));
    if (const double gain = best(f, team) / best(f, unrolled); !std::isnan(gain))
      say("Table 12:",
          fmt::format("Against the team-based kernel at its best: {:.2f} times as fast, {:.2f} in "
                      "the paper.",
                      gain, 0.178 / 0.155));
  }
  say("Table 13 ", about_counting(f));
  say("Study: the vector kernel under",
      "Where the limit is below what the compiler would take, it keeps the rest in local memory. "
      "Oversubscription is the best of table 12 at that block size.");
  say("Study: the vector kernel by",
      "At the best launch of table 12. A line of rows that the unrolled loop does not take at once "
      "is another pass over the block columns and x.");
  say("Study: the vector kernel on",
      "The same matrix in other blocks, each with its best block size, launched as in table 12, "
      "ROWS_AT_ONCE 8. A shape that is not the matrix's own stores a few zeros at the edges of the "
      "band, and smaller blocks have more columns: rates are of all that is stored.");
  say("Study: y scaled",
      "At each kernel's best launch. Fused, only rows that several tasks share are scaled "
      "beforehand.");
}

}  // namespace nz::lab::chirila2025
