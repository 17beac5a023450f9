#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lab/bench/record.hpp"

namespace nz::lab {

// Which results of a record count; an empty list: all.
struct Filter {
  std::vector<std::string> matrices, kernels;  // patterns
  std::vector<std::string> ops, types;         // names
  std::vector<int> threads{};
  std::vector<int> vectors{};
  std::vector<std::string> layouts{};  // of several vectors; one has none
  bool passes(const Result& r) const;
};

// Two times of the same product.
struct Pair {
  const Result* ours = nullptr;    // the second record, or our kernel
  const Result* theirs = nullptr;  // the first record, or the peer
  // How many times as fast ours is.
  double ratio() const { return *theirs->median_s / *ours->median_s; }
  // More than 5 % slower.
  bool lost() const { return ratio() < 1 / 1.05; }
};

struct Summary {
  std::size_t cases = 0;
  double geomean = 0;  // of the ratios
  Pair worst{};        // the smallest ratio
  std::size_t lost = 0;
};
Summary summarise(const std::vector<Pair>& pairs);

// Of two records: the cases that both have timed, matched by matrix, kernel, op, type, vectors,
// threads and parameters, and those that only one has.
struct Records {
  std::vector<Pair> pairs;  // theirs: the first record; ours: the second
  std::vector<const Result*> only_first, only_second;
};
Records compare_records(const Record& first, const Record& second, const Filter& filter);

// Of one record: ours against each peer on the same matrix, op, type and vectors, each kernel on
// the threads that suit it best.
struct Contest {
  const Result* ours = nullptr;        // null when ours have no time here
  std::vector<const Result*> peers{};  // one a peer, in the order of the record
  const Result* plain = nullptr;       // where op is T: ours for N, if it has a time

  const Result* best_peer() const;  // null when there is none
  // Of the peers whose kernel matches one of the patterns.
  const Result* best_peer(const std::vector<std::string>& patterns) const;
  // How many times as long the transposed product takes.
  std::optional<double> turned() const;
};
struct Sides {
  std::vector<std::string> ours, peers;  // patterns of kernels; a peer is never ours
  // The fastest of ours, even where the record says which one a plan chooses.
  bool fastest = false;
  // What a plan chose is ours, too, even where a pattern of the peers has it.
  bool planned = false;
};
std::vector<Contest> compare_within(const Record& record, const Sides& sides, const Filter& filter);

// How many times as long T takes as N, over all contests that have both.
struct TransposeRatio {
  std::size_t cases = 0;
  double geomean = 0;
  const Contest* worst = nullptr;
};
TransposeRatio summarise_transposed(const std::vector<Contest>& contests);

}  // namespace nz::lab
