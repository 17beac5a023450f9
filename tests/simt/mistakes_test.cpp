#include <stdexcept>
#include <vector>

#include "simt/run.hpp"

// Kernels that break a rule, each in one way. Whatever the order, the emulator must find it.
namespace nz::test {
namespace {

// The fault of the kernel under 16 seeds; every one must have the part.
template <class F>
void always_faults(int blocks, int threads, std::size_t shared_bytes, const std::string& part,
                   F body) {
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    emulated::emulator::set_seed(seed);
    const std::string message = fault(blocks, threads, shared_bytes, body);
    expect_fault(message, part);
    EXPECT_NE(message.find("(NZ_EMU_SEED=" + std::to_string(seed) + ")"), std::string::npos);
  }
  // What is left of a fault does not reach the next launch.
  int sum = 0;
  run(1, threads, 0, [p = &sum](Thread& t) {
    t.sync();
    if (t.ballot(true) == ~0u) t.atomic_add(p, 1);
  });
  EXPECT_EQ(sum, threads);
}

TEST(Mistakes, MissingBarrier) {
  std::vector<int> out(64);
  always_faults(1, 64, 256, "with no barrier between", [p = out.data()](Thread& t) {
    auto s = t.shared<int>(64);
    s[t.index()] = t.index();
    t.sync();
    p[t.index()] = s[63 - t.index()];
    s[t.index()] = 0;  // somebody may not have read it yet
  });
  always_faults(1, 64, 256, "element", [p = out.data()](Thread& t) {
    auto s = t.shared<int>(64);
    s[t.index()] = t.index();
    p[t.index()] = s[63 - t.index()];
  });
}

TEST(Mistakes, MissingWarpBarrier) {
  std::vector<int> out(32);
  always_faults(1, 32, 128, "with no barrier between", [p = out.data()](Thread& t) {
    auto s = t.shared<int>(32);
    s[t.lane()] = 1;
    t.sync_warp();
    p[t.lane()] = s[t.lane() ^ 1];
    t.ballot(true);  // orders no memory
    s[t.lane()] = 2;
  });
}

TEST(Mistakes, WarpBarrierBetweenWarps) {
  std::vector<int> out(64);
  always_faults(1, 64, 256, "with no barrier between", [p = out.data()](Thread& t) {
    auto s = t.shared<int>(64);
    if (t.warp() == 0) s[t.index()] = s[t.index() + 32] = 1;
    t.sync();
    p[t.index()] = s[t.index()];
    t.sync_warp();
    if (t.warp() == 0) s[t.index() + 32] = 2;
  });
}

TEST(Mistakes, TwoWritersOfOneElement) {
  always_faults(1, 32, 4, "wrote with no barrier between", [](Thread& t) {
    auto s = t.shared<int>(1);
    if (t.lane() == 4 || t.lane() == 9) s[0] = 1;
  });
}

TEST(Mistakes, AtomicBesidePlainAccess) {
  always_faults(1, 64, 4, "element 0 of shared array 0", [](Thread& t) {
    auto s = t.shared<int>(1);
    if (t.index() == 0) s[0] = 0;
    t.atomic_add(s, 0, 1);  // the zero may come after it, or not be there yet
  });
  always_faults(1, 64, 4, "with no barrier between", [](Thread& t) {
    auto s = t.shared<int>(1);
    if (t.index() == 0) s[0] = 0;
    t.sync();
    if (t.index() == 40)
      s[0] = 3;
    else
      t.atomic_add(s, 0, 1);
  });
}

TEST(Mistakes, ShuffleOfHalfTheWarp) {
  always_faults(1, 64, 0, "waits at the shuffle at mistakes_test.cpp:", [](Thread& t) {
    if (t.lane() < 16) t.shuffle(t.lane(), 0);
  });
}

TEST(Mistakes, ShuffleAfterALaneLeft) {
  always_faults(3, 32, 0, "has left", [](Thread& t) {
    if (t.block() == 1 && t.lane() == 7) return;
    t.shuffle_down(t.lane(), 1);
  });
}

TEST(Mistakes, LanesAtDifferentCollectives) {
  always_faults(1, 32, 0, "waits at the vote at mistakes_test.cpp:", [](Thread& t) {
    if (t.lane() % 2)
      t.ballot(true);
    else
      t.shuffle(1, 0);
  });
  always_faults(1, 32, 0, "waits at the shuffle at mistakes_test.cpp:", [](Thread& t) {
    if (t.lane() == 5)
      t.shuffle(1, 0);
    else
      t.shuffle(1, 0);
  });
  always_faults(1, 64, 0, "waits at the barrier at mistakes_test.cpp:", [](Thread& t) {
    if (t.index() == 40)
      t.sync();
    else
      t.sync_warp();
  });
}

TEST(Mistakes, BarrierThatSomeNeverReach) {
  always_faults(1, 128, 0, "the barrier at mistakes_test.cpp:", [](Thread& t) {
    if (t.warp() == 2) return;
    t.sync();
  });
  always_faults(1, 128, 0, "has left", [](Thread& t) {
    t.sync();
    if (t.index() == 99) return;
    t.sync();
  });
}

TEST(Mistakes, BarriersAtDifferentLines) {
  always_faults(1, 64, 0, "at the barrier at mistakes_test.cpp:", [](Thread& t) {
    if (t.warp() == 0)
      t.sync();
    else
      t.sync();
  });
}

TEST(Mistakes, SharedMemoryOutOfRange) {
  always_faults(1, 32, 256, "element 32 of shared array 1, which has 32", [](Thread& t) {
    auto other = t.shared<int>(32);
    auto s = t.shared<int>(32);
    s[t.lane() + 1] = 1;
    other[t.lane()] = 1;
  });
  always_faults(1, 32, 128, "element -1 of shared array 0, which has 32", [](Thread& t) {
    auto s = t.shared<float>(32);
    s[t.lane()] = 1;
    t.sync();
    if (t.lane() == 0) s[1] = s[t.lane() - 1];
  });
  always_faults(1, 32, 128, "element 32 of shared array 0", [](Thread& t) {
    auto s = t.shared<float>(32);
    if (t.lane() == 3) t.atomic_add(s, 32, 1);
  });
}

TEST(Mistakes, SharedMemoryReadBeforeWritten) {
  std::vector<float> out(32);
  always_faults(1, 32, 128, "element 31 of shared array 0, which nobody wrote",
                [p = out.data()](Thread& t) {
                  auto s = t.shared<float>(32);
                  if (t.lane() < 31) s[t.lane()] = 1;
                  t.sync();
                  p[t.lane()] = s[t.lane()];
                });
}

TEST(Mistakes, CopyReadBeforeWaitedFor) {
  std::vector<float> in(32, 1), out(32);
  always_faults(1, 32, 128, "which nobody wrote", [in = in.data(), p = out.data()](Thread& t) {
    auto s = t.shared<float>(32);
    t.copy_async<1>(s, t.lane(), in + t.lane());
    t.commit_copies();
    t.wait_copies<1>();  // the one group may still be on its way
    p[t.lane()] = s[t.lane()];
  });
  always_faults(
      1, 32, 128, "of shared array 0, which", [in = in.data(), p = out.data()](Thread& t) {
        auto s = t.shared<float>(32);
        t.copy_async<1>(s, t.lane(), in + t.lane());
        t.commit_copies();
        t.wait_copies<0>();
        p[t.lane()] = s[t.lane() ^ 1];  // begun, if at all, and waited for by its own thread alone
      });
  always_faults(1, 32, 128, "of shared array 0, which",
                [in = in.data(), p = out.data()](Thread& t) {
                  auto s = t.shared<float>(32);
                  s[t.lane()] = 2;
                  t.sync_warp();
                  p[t.lane()] = s[t.lane() ^ 1];
                  t.copy_async<1>(s, t.lane(), in + t.lane());  // somebody may not have read it yet
                });
}

TEST(Mistakes, CopyThatIsNotAligned) {
  alignas(16) static float in[8] = {};
  always_faults(1, 32, 128, "not aligned", [](Thread& t) {
    auto s = t.shared<float>(32);
    if (t.lane() == 0) t.copy_async<4>(s, 0, in + 1);
  });
}

TEST(Mistakes, WhatTheBlockBeforeWroteIsGone) {
  std::vector<float> out(64);
  always_faults(8, 32, 128, "which nobody wrote", [p = out.data()](Thread& t) {
    auto s = t.shared<float>(32);
    if (t.block() % 2 == 0) s[t.lane()] = 1;
    t.sync();
    p[t.lane()] = s[t.lane()];
  });
}

TEST(Mistakes, TooMuchSharedMemoryTaken) {
  always_faults(1, 32, 255, "the launch gave 255", [](Thread& t) {
    t.shared<int>(32);
    t.shared<int>(32);
  });
  always_faults(1, 32, 0, "the launch gave 0", [](Thread& t) { t.shared<char>(1); });
  always_faults(1, 32, 64, "-1 elements", [](Thread& t) { t.shared<char>(-1); });
}

TEST(Mistakes, SharedMemoryTakenInDifferentWays) {
  always_faults(1, 32, 256, "which another thread made of", [](Thread& t) {
    if (t.lane() == 11)
      t.shared<double>(8);
    else
      t.shared<int>(8);
  });
}

TEST(Mistakes, ShuffleWidthThatIsNone) {
  always_faults(1, 32, 0, "shuffles with width 12", [](Thread& t) { t.shuffle(1, 0, 12); });
  always_faults(1, 32, 0, "shuffles with width 0", [](Thread& t) { t.shuffle_up(1, 1, 0); });
  always_faults(1, 32, 0, "shuffles from lane 32", [](Thread& t) {
    if (t.lane() == 31) t.shuffle_up(1, -1);
    t.shuffle(1, 0);
  });
}

TEST(Mistakes, ExceptionInAKernel) {
  always_faults(1, 64, 0, "threw an exception: out of thread 33", [](Thread& t) {
    if (t.index() == 33) throw std::runtime_error("out of thread 33");
    t.sync();
  });
  always_faults(1, 64, 0, "threw an exception", [](Thread& t) {
    if (t.index() == 33) throw 1;
  });
}

TEST(Mistakes, ThreadsThatWaitAreUnwound) {
  struct Counted {
    int* alive;
    explicit Counted(int* p) : alive(p) { ++*alive; }
    ~Counted() { --*alive; }
  };
  int alive = 0, most = 0;
  expect_fault(fault(1, 256, 0,
                     [p = &alive, m = &most](Thread& t) {
                       const Counted here(p);
                       *m = std::max(*m, *p);
                       if (t.index() == 200) return;
                       t.sync();
                     }),
               "has left");
  EXPECT_EQ(alive, 0);
  EXPECT_GE(most, 1);
}

TEST(Mistakes, OneFaultOfManyBlocksStopsTheOthers) {
  std::vector<int> ran(1);
  const std::string message = fault(4096, 64, 0, [p = ran.data()](Thread& t) {
    if (t.index() == 0) t.atomic_add(p, 1);
    if (t.lane() == 3) return;
    t.ballot(true);
  });
  expect_fault(message, "has left");
  EXPECT_LT(ran[0], 2048);
}

TEST(Mistakes, LaunchesThatNoDeviceTakes) {
  const auto nothing = [](Thread&) {};
  EXPECT_THROW(run(1, 0, 0, nothing), InvalidArgument);
  EXPECT_THROW(run(1, 31, 0, nothing), InvalidArgument);
  EXPECT_THROW(run(1, 48, 0, nothing), InvalidArgument);
  EXPECT_THROW(run(1, 1056, 0, nothing), InvalidArgument);
  EXPECT_THROW(run(1, 32, 227 * 1024 + 1, nothing), InvalidArgument);
  EXPECT_NO_THROW(run(1, 1024, 227 * 1024, nothing));
}

struct Narrow {
  static constexpr const char* name = "narrow";
  static constexpr int max_threads = 128;
  void operator()(Thread&) const {}
};

TEST(Mistakes, MoreThreadsThanTheKernelSays) {
  EXPECT_NO_THROW(emulated::launch({1, 128, 0, nullptr}, Narrow{}));
  try {
    emulated::launch({1, 160, 0, nullptr}, Narrow{});
    FAIL() << "160 threads ran";
  } catch (const InvalidArgument& e) {
    EXPECT_NE(std::string(e.what()).find("kernel narrow: 160 threads"), std::string::npos);
  }
}

}  // namespace
}  // namespace nz::test
