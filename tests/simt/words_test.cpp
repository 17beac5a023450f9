#include <algorithm>
#include <cstdint>
#include <vector>

#include "simt/run.hpp"

// Every word of the device language on the emulator; simt.hpp says what they mean.
namespace nz::test {
namespace {

TEST(Words, IndicesCoverTheGridOnce) {
  constexpr int blocks = 5, threads = 96;
  struct Seen {
    int index, block, lane, warp, block_size, grid_size, warps;
    std::int64_t size;
  };
  std::vector<Seen> seen(blocks * threads, Seen{-1, -1, -1, -1, -1, -1, -1, -1});
  std::vector<int> times(blocks * threads);
  run(blocks, threads, 0, [s = seen.data(), n = times.data()](Thread& t) {
    s[t.global_index()] = {t.index(),      t.block(),     t.lane(),  t.warp(),
                           t.block_size(), t.grid_size(), t.warps(), t.global_size()};
    ++n[t.global_index()];
  });
  for (int i = 0; i < blocks * threads; ++i) {
    const Seen& s = seen[static_cast<std::size_t>(i)];
    EXPECT_EQ(times[static_cast<std::size_t>(i)], 1);
    EXPECT_EQ(s.index, i % threads);
    EXPECT_EQ(s.block, i / threads);
    EXPECT_EQ(s.lane, i % threads % 32);
    EXPECT_EQ(s.warp, i % threads / 32);
    EXPECT_EQ(s.block_size, threads);
    EXPECT_EQ(s.grid_size, blocks);
    EXPECT_EQ(s.warps, 3);
    EXPECT_EQ(s.size, blocks * threads);
  }
}

TEST(Words, NoBlocksRunNothing) {
  int ran = 0;
  run(0, 32, 0, [p = &ran](Thread&) { ++*p; });
  EXPECT_EQ(ran, 0);
}

// What each lane gets from four kinds of shuffles of its own number plus 100.
TEST(Words, ShufflesOfEveryWidth) {
  for (const int width : {1, 2, 4, 8, 16, 32})
    for (const int by : {0, 1, 3, 5, 16, 31, 32}) {
      std::vector<int> got(4 * 64);
      run(1, 64, 0, [p = got.data(), width, by](Thread& t) {
        const int mine = t.index() + 100;
        p[t.index()] = t.shuffle(mine, by, width);
        p[64 + t.index()] = t.shuffle_up(mine, by, width);
        p[128 + t.index()] = t.shuffle_down(mine, by, width);
        p[192 + t.index()] = t.shuffle_xor(mine, by, width);
      });
      for (int i = 0; i < 64; ++i) {
        const int lane = i % 32, group = lane / width * width, warp = i - lane + 100;
        const auto at = [&](int kind) { return got[static_cast<std::size_t>(64 * kind + i)]; };
        EXPECT_EQ(at(0), warp + group + by % width) << width << " " << by;
        EXPECT_EQ(at(1), warp + (lane - by < group ? lane : lane - by)) << width << " " << by;
        EXPECT_EQ(at(2), warp + (lane + by >= group + width ? lane : lane + by))
            << width << " " << by;
        // Groups before one's own can be read, those after it cannot.
        EXPECT_EQ(at(3), warp + ((lane ^ by) >= group + width ? lane : lane ^ by))
            << width << " " << by;
      }
    }
}

template <class V>
void shuffles_carry(V scale) {
  std::vector<V> got(32);
  run(1, 32, 0, [p = got.data(), scale](Thread& t) {
    p[t.lane()] = t.shuffle(static_cast<V>(static_cast<V>(t.lane()) * scale), 31 - t.lane());
  });
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(got[static_cast<std::size_t>(i)], static_cast<V>(static_cast<V>(31 - i) * scale));
}

TEST(Words, ShufflesCarryEveryType) {
  shuffles_carry<float>(1.25f);
  shuffles_carry<double>(1e200);
  shuffles_carry<int>(-7);
  shuffles_carry<unsigned>(0x07000001u);
  shuffles_carry<std::int64_t>(std::int64_t{1} << 50);
  shuffles_carry<unsigned long long>(~0ull / 64);
  shuffles_carry<short>(3);
}

TEST(Words, VotesHearEveryLane) {
  std::vector<unsigned> got(3 * 64 * 3);
  run(1, 64, 0, [p = got.data()](Thread& t) {
    for (int round = 0; round < 3; ++round) {  // some lanes; all; none
      const bool yes = round == 0 ? t.lane() % 3 == t.warp() : round == 1;
      unsigned* mine = p + (round * 64 + t.index()) * 3;
      mine[0] = t.ballot(yes);
      mine[1] = t.any(yes);
      mine[2] = t.all(yes);
    }
  });
  for (int i = 0; i < 64; ++i) {
    unsigned some = 0;
    for (int lane = 0; lane < 32; ++lane)
      if (lane % 3 == i / 32) some |= 1u << lane;
    const unsigned ballots[3] = {some, ~0u, 0u};
    for (int round = 0; round < 3; ++round) {
      const unsigned* mine = got.data() + (round * 64 + i) * 3;
      EXPECT_EQ(mine[0], ballots[round]);
      EXPECT_EQ(mine[1], round != 2);
      EXPECT_EQ(mine[2], round == 1);
    }
  }
}

// Reverses a block through shared memory, with another array before and after it.
template <class V>
void reverses(int threads) {
  std::vector<V> got(static_cast<std::size_t>(threads));
  run(1, threads, 1 + 2 * static_cast<std::size_t>(threads) * sizeof(V) + 64,
      [p = got.data()](Thread& t) {
        auto flag = t.shared<unsigned char>(1);
        auto s = t.shared<V>(t.block_size());
        auto copy = t.shared<V>(t.block_size());
        if (t.index() == 0) flag[0] = 1;
        s[t.index()] = static_cast<V>(t.index());
        t.sync();
        copy[t.index()] = s[t.block_size() - 1 - t.index()];
        t.sync();
        s[t.index()] = V(0) + copy[t.index()];
        s[t.index()] += static_cast<V>(flag[0]);
        p[t.index()] = s[t.index()];
      });
  for (int i = 0; i < threads; ++i)
    EXPECT_EQ(got[static_cast<std::size_t>(i)], static_cast<V>(threads - 1 - i + 1));
}

TEST(Words, SharedArraysOfSeveralTypes) {
  reverses<float>(32);
  reverses<double>(1024);
  reverses<int>(256);
  reverses<std::int64_t>(64);
  reverses<short>(128);
}

TEST(Words, NeighbouringBytesAreNotTheSamePlace) {
  std::vector<int> got(64);
  run(1, 64, 64, [p = got.data()](Thread& t) {
    auto s = t.shared<unsigned char>(64);
    s[t.index()] = static_cast<unsigned char>(t.index() + 1);
    t.sync();
    p[t.index()] = s[63 - t.index()];
  });
  for (int i = 0; i < 64; ++i) EXPECT_EQ(got[static_cast<std::size_t>(i)], 64 - i);
}

template <class V>
void atomics_add() {
  constexpr int blocks = 16, threads = 256;
  std::vector<V> total(3), before(blocks * threads);
  run(blocks, threads, 2 * sizeof(V), [p = total.data(), b = before.data()](Thread& t) {
    auto s = t.shared<V>(2);
    if (t.index() < 2) s[t.index()] = 0;
    t.sync();
    t.atomic_add(s, t.index() % 2, 1);
    t.sync();
    if (t.index() < 2) t.atomic_add(p + t.index(), s[t.index()]);
    b[t.global_index()] = t.atomic_add(p + 2, 2);
  });
  EXPECT_EQ(total[0], static_cast<V>(blocks * threads / 2));
  EXPECT_EQ(total[1], static_cast<V>(blocks * threads / 2));
  EXPECT_EQ(total[2], static_cast<V>(2 * blocks * threads));
  std::sort(before.begin(), before.end());
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(before[i], static_cast<V>(2 * i));
}

TEST(Words, AtomicsAddInSharedAndGlobalMemory) {
  atomics_add<float>();
  atomics_add<double>();
  atomics_add<int>();
  atomics_add<unsigned>();
  atomics_add<unsigned long long>();
}

TEST(Words, LoadsAndStoresOfPacks) {
  using Four = Pack<float, 4>;
  using Two = Pack<int, 2>;
  std::vector<Four> from(32), to(3 * 32);
  std::vector<Two> small(32), small_to(32);
  for (int i = 0; i < 32; ++i) {
    from[static_cast<std::size_t>(i)] = {{float(i), float(i + 1), float(i + 2), float(i + 3)}};
    small[static_cast<std::size_t>(i)] = {{i, -i}};
  }
  run(1, 32, 0, [a = from.data(), b = to.data(), c = small.data(), d = small_to.data()](Thread& t) {
    b[t.lane()] = t.load(a + t.lane());
    t.store_streaming(b + 32 + t.lane(), t.load_streaming(a + t.lane()));
    b[64 + t.lane()] = t.load_coherent(a + t.lane());
    d[t.lane()] = t.load_coherent(c + t.lane());
    t.fence();
  });
  for (std::size_t i = 0; i < 32; ++i)
    for (std::size_t j = 0; j < 4; ++j) {
      EXPECT_EQ(to[i].at[j], from[i].at[j]);
      EXPECT_EQ(to[32 + i].at[j], from[i].at[j]);
      EXPECT_EQ(to[64 + i].at[j], from[i].at[j]);
      EXPECT_EQ(small_to[i].at[j % 2], small[i].at[j % 2]);
    }
}

TEST(Words, TheRunningDeviceIsTheEmulator) {
  EXPECT_EQ(emulated::current_device(), emulator_device);
  EXPECT_GE(emulated::resident_blocks<Tested<int>>(128, 0), 1);
}

TEST(Words, CopiesArriveGroupByGroup) {
  alignas(16) float in[256];
  for (int i = 0; i < 256; ++i) in[i] = static_cast<float>(i);
  std::vector<float> out(256);
  run(1, 32, sizeof(in), [in = &in[0], p = out.data()](Thread& t) {
    auto s = t.shared<float>(256);
    for (int half = 0; half < 2; ++half) {
      t.copy_async<4>(s, 128 * half + 4 * t.lane(), in + 128 * half + 4 * t.lane());
      t.commit_copies();
    }
    t.wait_copies<1>();
    t.sync_warp();
    const auto four = s.pack<4>(124 - 4 * t.lane());  // what other lanes copied
    for (int k = 0; k < 4; ++k) p[124 - 4 * t.lane() + k] = four.at[k];
    t.wait_copies<0>();
    t.sync_warp();
    for (int i = 128 + t.lane(); i < 256; i += 32) p[i] = s[i];
  });
  for (int i = 0; i < 256; ++i) EXPECT_EQ(out[static_cast<std::size_t>(i)], in[i]);
}

}  // namespace
}  // namespace nz::test
