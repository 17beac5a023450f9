#include <numeric>
#include <vector>

#include <nonzero/device.hpp>

#include "simt/run.hpp"

// Kernels that break a rule of device memory, and kernels that look as if they did. Whatever the
// order, the emulator must find the former and let the latter pass.
#ifdef NZ_EMU_RACES
namespace nz::test {
namespace {

using emulated::emulator::set_seed;

// Device memory that holds 0, 1, 2, ...
template <class T = int>
DeviceArray<T> counted(std::size_t n) {
  std::vector<T> numbers(n);
  std::iota(numbers.begin(), numbers.end(), T(0));
  return DeviceArray<T>(emulator_device, std::span<const T>(numbers));
}
template <class T = int>
DeviceArray<T> zeros(std::size_t n) {
  return DeviceArray<T>(emulator_device, std::span<const T>(std::vector<T>(n)));
}

// Under 16 seeds, on several OS threads where there are blocks enough.
template <class F>
void faults(int blocks, int threads, const std::vector<std::string>& parts, F body) {
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    set_seed(seed);
    const std::string message = fault(blocks, threads, 1024, body);
    for (const std::string& part : parts) expect_fault(message, part);
  }
}
template <class F>
void passes(int blocks, int threads, F body) {
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    set_seed(seed);
    EXPECT_EQ(fault(blocks, threads, 1024, body), "") << "seed " << seed;
  }
}

const std::string no_order = "and nothing orders the two";

TEST(Races, TwoBlocksWriteOneElement) {
  auto a = zeros(8);
  faults(2, 32,
         {"writes element 5 (of 4 bytes) of device array", "of 32 bytes, which thread 0 of block",
          "wrote, " + no_order, "the other at test_simt+0x"},
         [p = a.data()](Thread& t) {
           if (t.index() == 0) p[5] = t.block();
         });
  // The same value is no excuse.
  faults(64, 64, {"wrote, " + no_order}, [p = a.data()](Thread& t) {
    if (t.index() == 7) p[0] = 1;
  });
}

TEST(Races, OneBlockReadsWhatAnotherWrites) {
  auto a = zeros(64);
  faults(2, 32, {"element 3 (of 4 bytes)", no_order}, [p = a.data()](Thread& t) {
    if (t.index() == 0 && t.block() == 0) p[3] = 1;
    if (t.index() == 9 && t.block() == 1) p[40] = p[3];
  });
  // A thread that reads first and then writes does not hide another that has read.
  faults(2, 32, {no_order}, [p = a.data()](Thread& t) {
    if (t.index() == 0 && t.block() == 0) p[3] = p[3] + 1;
    if (t.index() == 9 && t.block() == 1) p[40] = p[3];
  });
}

TEST(Races, WarpsWithoutABarrier) {
  auto a = zeros(64), b = zeros(64);
  faults(1, 64, {no_order}, [p = a.data(), q = b.data()](Thread& t) {
    p[t.index()] = t.index();
    q[t.index()] = p[63 - t.index()];
  });
  faults(1, 64, {no_order}, [p = a.data(), q = b.data()](Thread& t) {
    p[t.index()] = t.index();
    t.sync_warp();  // each warp for itself
    q[t.index()] = p[63 - t.index()];
  });
  passes(1, 64, [p = a.data(), q = b.data()](Thread& t) {
    p[t.index()] = t.index();
    t.sync();
    q[t.index()] = p[63 - t.index()];
    t.sync();
    p[t.index()] = 0;
  });
}

TEST(Races, LanesWithoutAWarpBarrier) {
  auto a = zeros(32), b = zeros(32);
  faults(1, 32, {no_order}, [p = a.data(), q = b.data()](Thread& t) {
    p[t.lane()] = t.lane();
    t.ballot(true);  // orders no memory
    q[t.lane()] = p[t.lane() ^ 1];
  });
  passes(1, 32, [p = a.data(), q = b.data()](Thread& t) {
    p[t.lane()] = t.lane();
    t.sync_warp();
    q[t.lane()] = p[t.lane() ^ 1];
  });
}

TEST(Races, AtomicsAreInOrderWithEachOtherAlone) {
  auto a = zeros(4);
  passes(64, 64, [p = a.data()](Thread& t) {
    t.atomic_add(p, 1);
    if (t.load_coherent(p) < 1) t.atomic_add(p + 1, 1);
  });
  faults(64, 64, {no_order}, [p = a.data()](Thread& t) {
    t.atomic_add(p, 1);
    if (t.global_index() == 77) p[0] = 0;
  });
  auto b = zeros(64 * 64);
  faults(64, 64, {no_order}, [p = a.data(), q = b.data()](Thread& t) {
    t.atomic_add(p, 1);
    q[t.global_index()] = p[0];  // should be load_coherent
  });
}

// Each block leaves its part; the last to come adds them up.
struct LastBlock {
  int* parts;
  int* arrived;
  int* sum;
  bool fence_before = true, fence_after = true;

  void operator()(Thread& t) const {
    auto last = t.shared<int>(1);
    if (t.index() == 0) {
      parts[t.block()] = t.block() + 1;
      if (fence_before) t.fence();
      last[0] = t.atomic_add(arrived, 1) == t.grid_size() - 1;
    }
    t.sync();
    if (!last[0]) return;
    if (fence_after) t.fence();
    for (int i = t.index(); i < t.grid_size(); i += t.block_size())
      t.atomic_add(sum, t.load_coherent(parts + i));
    if (t.index() == 0) *arrived = 0;
  }
};

std::string last_block_fault(bool fence_before, bool fence_after, int& sum) {
  constexpr int blocks = 40;
  auto parts = zeros(blocks), words = zeros(2);
  const std::string message =
      fault(blocks, 64, 1024,
            LastBlock{parts.data(), words.data(), words.data() + 1, fence_before, fence_after});
  sum = words.data()[1];
  if (message.empty()) {
    EXPECT_EQ(words.data()[0], 0);
  }
  return message;
}

TEST(Races, TheLastBlockNeedsFences) {
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    set_seed(seed);
    int sum = 0;
    EXPECT_EQ(last_block_fault(true, true, sum), "");
    EXPECT_EQ(sum, 40 * 41 / 2);
    expect_fault(last_block_fault(false, true, sum), "wrote, " + no_order);
    expect_fault(last_block_fault(true, false, sum), "wrote, " + no_order);
  }
}

// A fence tells of what came before it.
TEST(Races, WhatComesAfterTheFenceIsNotTold) {
  for (const bool late : {false, true})
    for (std::uint64_t seed = 1; seed <= 16; ++seed) {
      set_seed(seed);
      auto parts = zeros(8), words = zeros(1), out = zeros(8);
      const std::string message =
          fault(8, 32, 0, [p = parts.data(), a = words.data(), q = out.data(), late](Thread& t) {
            int came = 0;
            if (t.lane() == 0) {
              if (!late) p[t.block()] = 1;
              t.fence();
              if (late) p[t.block()] = 1;
              came = t.atomic_add(a, 1);
            }
            came = t.shuffle(came, 0);
            if (came != 7) return;
            t.fence();
            if (t.lane() < 8) q[t.lane()] = t.load_coherent(p + t.lane());
          });
      if (late)
        expect_fault(message, no_order);
      else
        EXPECT_EQ(message, "");
    }
}

// What lanes wrote is told by another lane of their warp, once they have met.
TEST(Races, OneLaneSpeaksForItsWarp) {
  for (const bool met : {true, false})
    for (std::uint64_t seed = 1; seed <= 16; ++seed) {
      set_seed(seed);
      auto parts = zeros(8 * 32), words = zeros(1), out = zeros(8 * 32);
      const std::string message =
          fault(8, 32, 0, [p = parts.data(), a = words.data(), q = out.data(), met](Thread& t) {
            p[t.global_index()] = 1;
            t.fence();
            if (met) t.sync_warp();
            const int came = t.shuffle(t.lane() == 0 ? t.atomic_add(a, 1) : 0, 0);
            if (came != 7) return;
            t.fence();
            for (int i = t.lane(); i < 8 * 32; i += 32) q[i] = t.load_coherent(p + i);
          });
      if (met)
        EXPECT_EQ(message, "");
      else
        expect_fault(message, no_order);
    }
}

// Warps of one block that share no barrier meet as blocks do.
TEST(Races, WarpsMeetAtAWord) {
  for (const bool fenced : {true, false})
    for (std::uint64_t seed = 1; seed <= 16; ++seed) {
      set_seed(seed);
      auto parts = zeros(4 * 32), words = zeros(1), out = zeros(4 * 32);
      const std::string message =
          fault(1, 128, 0, [p = parts.data(), a = words.data(), q = out.data(), fenced](Thread& t) {
            p[t.index()] = 1;
            if (fenced) t.fence();
            t.sync_warp();
            const int came = t.shuffle(t.lane() == 0 ? t.atomic_add(a, 1) : 0, 0);
            if (came != 3) return;
            t.fence();
            for (int i = t.lane(); i < 4 * 32; i += 32) q[i] = t.load_coherent(p + i);
          });
      if (fenced)
        EXPECT_EQ(message, "");
      else
        expect_fault(message, no_order);
    }
}

// A chain: the second block hears of the first, the third of the second alone.
TEST(Races, KnowledgeIsPassedOn) {
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    set_seed(seed);
    auto data = zeros(3), words = zeros(4);
    EXPECT_EQ(fault(3, 32, 4,
                    [p = data.data(), w = words.data()](Thread& t) {
                      if (t.index() != 0) return;
                      const int ticket = t.atomic_add(w, 1);
                      if (ticket > 0)
                        while (t.load_coherent(w + ticket) == 0) t.pause();
                      t.fence();
                      p[0] += ticket;
                      t.fence();
                      if (ticket < 2) t.atomic_add(w + ticket + 1, 1);
                    }),
              "");
    EXPECT_EQ(data.data()[0], 3);
  }
}

TEST(Races, BytesOfAWordAreApart) {
  auto a = zeros<unsigned char>(256);
  passes(4, 64, [p = a.data()](Thread& t) {
    p[t.global_index()] = static_cast<unsigned char>(t.index());
  });
  faults(2, 32, {"element 9 (of 1 bytes)", no_order}, [p = a.data()](Thread& t) {
    if (t.index() == 0) p[9] = 1;
  });
  // Halves against the whole, in both orders.
  faults(2, 32, {no_order}, [p = a.data()](Thread& t) {
    if (t.index() != 0) return;
    if (t.block() == 0)
      p[6] = 1;
    else
      reinterpret_cast<int*>(p)[1] = 1;
  });
}

TEST(Races, WideAccessesMeetNarrowOnes) {
  using Four = Pack<int, 4>;
  auto a = zeros(64);
  faults(2, 32, {no_order}, [p = a.data()](Thread& t) {
    if (t.index() != 0) return;
    if (t.block() == 0)
      p[7] = 1;
    else
      reinterpret_cast<Four*>(p)[1] = Four{{1, 2, 3, 4}};
  });
}

TEST(Races, LaunchesAreInOrder) {
  auto a = zeros(64);
  for (int round = 0; round < 4; ++round)
    EXPECT_EQ(fault(2, 32, 0,
                    [p = a.data(), round](Thread& t) {
                      p[(t.global_index() + 32 * round) % 64] += round;
                    }),
              "");
  EXPECT_EQ(a.data()[0], 6);
}

TEST(Races, ConstantsStayAsTheyAre) {
  auto a = counted(64);
  passes(2, 32, [p = a.data()](Thread& t) {
    if (t.load(p + t.lane()) < 0) p[0] = 1;
  });
  faults(1, 32, {"loads (as constant) element", "which thread 0 of block 0 wrote"},
         [p = a.data()](Thread& t) {
           if (t.index() == 0) p[4] = 1;
           t.sync();
           if (t.index() == 1) p[5] = t.load(p + 4);  // the cache may hold what was there before
         });
}

TEST(Races, UnwrittenMemoryIsNotRead) {
  const std::vector<int> half(32, 1);
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    set_seed(seed);
    DeviceArray<int> a(emulator_device, 64), b(emulator_device, 64);
    const auto copy = [p = a.data(), q = b.data()](Thread& t) { q[t.index()] = p[t.index()]; };
    expect_fault(fault(1, 64, 0, copy), "(of 4 bytes) of device array");
    expect_fault(fault(1, 64, 0, copy), "which nobody wrote");
    EXPECT_EQ(fault(1, 32, 0, [p = a.data()](Thread& t) { p[t.index()] = 1; }), "");
    EXPECT_EQ(fault(1, 32, 0, copy), "");
    expect_fault(fault(1, 64, 0, copy), "which nobody wrote");
    detail::device_copy(emulator_device, a.data() + 32, half.data(), 128, {});
    EXPECT_EQ(fault(1, 64, 0, copy), "");
  }
}

// What was never written stays so when it is copied on the device; the host may fetch it.
TEST(Races, CopiesCarryWhatIsUnwritten) {
  DeviceArray<int> a(emulator_device, 4), b = zeros(4), out = zeros(4);
  const auto read = [p = b.data(), q = out.data()](Thread& t) {
    if (t.index() < 4) q[t.index()] = p[t.index()];
  };
  EXPECT_EQ(fault(1, 32, 0, read), "");
  detail::device_copy(emulator_device, b.data() + 2, a.data(), 4, {});
  expect_fault(fault(1, 32, 0, read), "element 2 (of 4 bytes)");
  std::vector<int> host(4);
  EXPECT_NO_THROW(b.download(host));
}

TEST(Races, AtomicsOnUnwrittenMemory) {
  DeviceArray<double> a(emulator_device, 4);
  expect_fault(fault(1, 32, 0, [p = a.data()](Thread& t) { t.atomic_add(p + 2, 1.0); }),
               "adds to element 2 (of 8 bytes)");
}

TEST(Races, StepsOutsideAreFoundAtOnce) {
  auto a = zeros(10), out = zeros(32);
  faults(1, 32, {"reads element 10 (of 4 bytes)", "which is outside of it"},
         [p = a.data(), q = out.data()](Thread& t) {
           if (t.index() == 3) q[0] = p[10];
         });
  faults(1, 32, {"writes element -1 (of 4 bytes)", "which is outside of it"},
         [p = a.data()](Thread& t) {
           if (t.index() == 3) p[-1] = 1;
         });
  wait_for(emulator_device);  // it was not written
}

TEST(Races, CopiesToSharedMemoryRead) {
  DeviceArray<float> a(emulator_device, 32);
  faults(1, 32, {"reads element", "which nobody wrote"}, [p = a.data()](Thread& t) {
    auto s = t.shared<float>(32);
    t.copy_async<1>(s, t.lane(), p + t.lane());
    t.commit_copies();
    t.wait_copies<0>();
  });
}

}  // namespace
}  // namespace nz::test
#endif
