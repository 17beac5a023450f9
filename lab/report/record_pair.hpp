#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lab/report/figures.hpp"
#include "lab/report/runs.hpp"

// Two records beside each other: two machines, or two commits.
namespace nz::lab {

struct RecordPair {
  const Run *first = nullptr, *second = nullptr;  // the first of each record, for what they share
  // theirs: the first record; ours: the second.
  std::vector<Pair> same;    // the same case in both
  std::vector<Pair> suited;  // the same kernel where threads or parameters differ: each at its best
  std::vector<Pair> ours;    // what is ours in each, whatever kernel that is
  std::vector<const Result*> only_first, only_second;  // timed there alone
  // Matrices of one name that are not alike: nothing of theirs is compared.
  std::vector<std::string> unlike;
  std::vector<std::string> warnings;  // what a reader must know before believing a ratio
  std::optional<Figure> figure{};

  std::vector<Pair> pairs() const;  // same, then suited
  // How many of these pairs differ by no more than the noise of both medians.
  std::size_t within_noise() const;
  // How many times as fast the second is: for people, without a line's end.
  std::string sentence() const;
};

// Of exactly two records of the bench; none of others. What can be compared may be nothing at all.
std::optional<RecordPair> record_pair(const Runs& runs);

// "bd03c2a, with changes"
std::string commit_text(const Record& r);

}  // namespace nz::lab
