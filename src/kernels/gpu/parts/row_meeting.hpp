#pragma once
#include <cstring>
#include <limits>
#include <type_traits>

#include "kernels/gpu/parts/meeting.hpp"

// Where the parts of a row meet that goes through several shares of the matrix, tiles or blocks,
// one after the other.
//
// A few parts meet two by two, as in a tournament: whoever comes first leaves its sum in a word and
// is done, the second finds it there and goes on with both. The word carries the sum itself, so
// there is one wait for two parts and no fence. Where that would be too many rounds, the last to
// come adds all parts, after three waits. In both, the order of additions is that of the shares,
// whoever comes first.
namespace nz::NZ_HOME {

inline constexpr int few_parts = 16;  // four rounds, about as long as a fence and what follows it

// The integer as large as a value.
template <class T>
using WordOf = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;

// One for each share, all of it 0 at first. After a product `arrived` is 0 again, and `word` where
// parts meet in pairs; elsewhere both keep parts, which the next product writes anew: who meets how
// is the same in all products of a matrix.
template <class T>
struct alignas(16) RowMeeting {
  WordOf<T> word;    // of the row that goes on from the share before
  unsigned arrived;  // of the row that begins in this share: parts that are there
  T first_part;      // likewise
};

// Bits of a sum as a word that is never 0: 0 stands for nobody.
template <class T>
struct SumAsWord {
  using Word = WordOf<T>;
  // A NaN that no arithmetic makes by itself.
  static constexpr Word zero =
      sizeof(T) == 4 ? Word(0x7fedcba9) : static_cast<Word>(0x7ffedcba98765432ull);
  static NZ_DEVICE Word word(T sum) {
    Word bits;
    memcpy(&bits, &sum, sizeof bits);
    bits ^= zero;
    return bits == 0 ? 1 : bits;
  }
  static NZ_DEVICE T sum(Word word) {
    T its;
    word ^= zero;
    memcpy(&its, &word, sizeof its);
    return its;
  }
};

// put(sum) by the one that finishes the row. `mine` is the share of the thread that calls.
template <class T, class Put>
NZ_DEVICE void meet_in_pairs(Thread& t, RowMeeting<T>* meetings, int mine, T sum, int from, int to,
                             Put&& put) {
  const int last = to - from;
  mine -= from;
  NZ_ROLLED
  for (int level = 0; last >> level > 0; ++level, mine >>= 1) {
    if (mine == last >> level && mine % 2 == 0) continue;  // alone
    // Where the left side of a pair ends, no other pair meets.
    auto* const word = &meetings[from + ((mine | 1) << level)].word;
    const auto there = t.atomic_add(word, SumAsWord<T>::word(sum));
    if (there == 0) return;
    *word = 0;  // for the next product
    const T other = SumAsWord<T>::sum(there);
    sum += other;
    // Whose NaN a sum of two has depends on their order, which is that of arrival.
    if (sum != sum) sum = std::numeric_limits<T>::quiet_NaN();
  }
  put(sum);
}

// The row goes through the shares `from` to `to`, and the part of share `mine` is `sum`, in lane 0.
// For one warp; put(sum) is called once, by a lane of the one that finishes the row.
template <class T, class Put>
NZ_DEVICE void meet_row(Thread& t, RowMeeting<T>* meetings, int mine, T sum, int from, int to,
                        Put&& put) {
  if (to - from >= few_parts) {
    const auto part = [&](int i) {
      RowMeeting<T>* its = meetings + (from + i);
      return i == 0 ? &its->first_part : reinterpret_cast<T*>(&its->word);
    };
    meet_and_sum(t, {&meetings[from].arrived, to - from + 1}, mine - from, sum, part, put);
  } else if (t.lane() == 0) {
    meet_in_pairs(t, meetings, mine, sum, from, to, put);
  }
}

}  // namespace nz::NZ_HOME
