#include <cmath>
#include <functional>
#include <initializer_list>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lab/papers/complete.hpp"
#include "lab/papers/izawa2023.hpp"

namespace nz::lab::izawa2023 {
namespace {

using Names = std::initializer_list<const char*>;
// Where GCSB was faster than CSR, on an A100 and on both GPUs.
constexpr Names five = {"sme3Da", "appu", "human_gene2", "human_gene1", "mouse_gene"};
constexpr Names four = {"appu", "human_gene2", "human_gene1", "mouse_gene"};
constexpr Names three = {"appu", "human_gene1", "mouse_gene"};
constexpr Names sparse = {"random_0.0001", "random_0.0005", "random_0.001"};
constexpr Names dense = {"random_0.005", "random_0.01", "random_0.05", "random_0.1",
                         "random_0.2",   "random_0.3",  "random_0.4",  "random_0.5"};
constexpr Names above_one_percent = {"random_0.01", "random_0.05", "random_0.1", "random_0.2",
                                     "random_0.3",  "random_0.4",  "random_0.5"};
constexpr Names above_five = {"random_0.1", "random_0.2", "random_0.3", "random_0.4", "random_0.5"};
constexpr Names above_twenty = {"random_0.3", "random_0.4", "random_0.5"};

// One side of the ideal matrix: ours, or the paper's on one of its GPUs.
class Ideal : public Side {
 public:
  Ideal(const std::vector<Comparison>& tables, bool here, const char* times,
        std::string_view gpu = a100)
      : Side(tables, here), times_(times), gpu_(gpu) {}
  double n(const Format& f, int block) const {
    return at(times_, std::to_string(block), n_of(f.label));
  }
  double t(const Format& f, int block) const {
    return at(times_, std::to_string(block), t_of(f.label));
  }
  double both(const Format& f, int block) const { return n(f, block) + t(f, block); }
  double memory(const Format& f, int block) const {
    return at(table_memory, std::to_string(block), f.label) /
           at(table_memory, std::to_string(block), csr.label);
  }
  double missed(const Format& f) const {
    return at(table_misses, gpu_, n_of(f.label)) + at(table_misses, gpu_, t_of(f.label));
  }

 private:
  const char* times_;
  std::string_view gpu_;
};

// The figures of some matrices.
class Matrices {
 public:
  explicit Matrices(const std::vector<MatrixFigures>& all) : all_(all) {}

  // NaN unless all of them have one.
  template <class One, class Of>
  double over(Names names, One&& combine, Of&& of) const {
    double all = no_figure;
    for (const char* name : names) {
      const MatrixFigures* m = find(name);
      const double one = m ? of(*m) : no_figure;
      if (std::isnan(one)) return no_figure;
      all = std::isnan(all) ? one : combine(all, one);
    }
    return all;
  }
  template <class Of>
  double least(Names names, Of&& of) const {
    return over(
        names, [](double a, double b) { return std::fmin(a, b); }, of);
  }
  template <class Of>
  double most(Names names, Of&& of) const {
    return over(
        names, [](double a, double b) { return std::fmax(a, b); }, of);
  }
  // Of all that were measured, but for some.
  template <class Of>
  double most_but(Names without, Of&& of) const {
    double all = no_figure;
    for (const MatrixFigures& m : all_) {
      bool left_out = false;
      for (const char* name : without) left_out = left_out || m.name == name;
      if (!left_out) all = std::fmax(all, of(m));
    }
    return all;
  }

 private:
  const MatrixFigures* find(std::string_view name) const {
    for (const MatrixFigures& m : all_)
      if (m.name == name) return &m;
    return nullptr;
  }
  const std::vector<MatrixFigures>& all_;
};

// The time of `slow` over that of `quick`: how much faster the second is.
auto gain_by(bool hot, const Format& slow, const Format& quick) {
  return [hot, slow, quick](const MatrixFigures& m) {
    const auto a = m.by.find(slow.label), b = m.by.find(quick.label);
    return a == m.by.end() || b == m.by.end() ? no_figure
                                              : a->second.both(hot) / b->second.both(hot);
  };
}
auto memory(const Format& one, const Format& other) {
  return [one, other](const MatrixFigures& m) {
    const auto a = m.by.find(one.label), b = m.by.find(other.label);
    return a == m.by.end() || b == m.by.end() ? no_figure : a->second.bytes / b->second.bytes;
  };
}

// The least or most of what the text says of some matrices.
template <class Combine>
double said(const nlohmann::ordered_json& all, Names names, Combine&& combine) {
  double figure = no_figure;
  for (const char* name : names)
    if (all.contains(name)) figure = combine(figure, all[name].get<double>());
  return figure;
}
double least_said(const nlohmann::ordered_json& all, Names names) {
  return said(all, names, [](double a, double b) { return std::fmin(a, b); });
}
double most_said(const nlohmann::ordered_json& all, Names names) {
  return said(all, names, [](double a, double b) { return std::fmax(a, b); });
}

}  // namespace

std::vector<Claim> claims(const AllFigures& f, const std::vector<Comparison>& tables, bool hot) {
  std::vector<Claim> all;
  // Of times: a difference that is none is no gain and no loss.
  const Limits faster = above(1 + no_difference, gpu_noise),
               no_faster = below(1 + no_difference, gpu_noise),
               slower = below(1 / (1 + no_difference), gpu_noise),
               several = above(several_times, gpu_noise);
  const auto add = [&](std::string text, double paper, double here, const Limits& holds) {
    all.push_back(Claim::judge(std::move(text), paper, here, holds));
  };

  // §4.3.1, the ideal matrix.
  const Ideal theirs(tables, false, table_a100), ours(tables, true, hot ? study_hot : table_a100);
  const auto ideal = [&](std::string text, const std::function<double(const Ideal&)>& of,
                         const Limits& holds) {
    add("ideal matrix: " + text, of(theirs), of(ours), holds);
  };
  ideal(
      "CSR's transposed product costs several times its plain one (T over N)",
      [](const Ideal& s) { return s.t(csr, chosen_block) / s.n(csr, chosen_block); }, several);
  ideal(
      "smaller blocks make CSB-baseline faster (128 over 16, N + T)",
      [](const Ideal& s) { return s.both(csb_baseline, 128) / s.both(csb_baseline, 16); }, faster);
  ideal(
      "and GCSB, too (128 over 16)",
      [](const Ideal& s) { return s.both(gcsb, 128) / s.both(gcsb, 16); }, faster);
  ideal(
      "with blocks of 32 CSB-baseline is faster than CSR (CSR over it)",
      [](const Ideal& s) { return s.both(csr, 32) / s.both(csb_baseline, 32); }, faster);
  ideal(
      "GCSB with blocks of 32 is faster than CSR (CSR over it)",
      [](const Ideal& s) { return s.both(csr, 32) / s.both(gcsb, 32); }, faster);
  ideal(
      "GCSB is faster than CSB-baseline (blocks of 32)",
      [](const Ideal& s) { return s.both(csb_baseline, 32) / s.both(gcsb, 32); }, faster);
  ideal(
      "eCSB is faster still (GCSB with blocks of 32 over it)",
      [](const Ideal& s) { return s.both(gcsb, 32) / s.both(ecsb, 32); }, faster);
  // The paper's are 1.01, which it calls the same, and 1.04, which it does not: below and above the
  // middle of the two.
  ideal(
      "GCSB takes the memory of CSR with blocks of 32 (over CSR's)",
      [](const Ideal& s) { return s.memory(gcsb, 32); }, between(1 / 1.025, 1.025));
  ideal(
      "GCSB takes clearly more with blocks of 16 (over CSR's)",
      [](const Ideal& s) { return s.memory(gcsb, 16); }, above(1.025));
  ideal(
      "and so does CSB-baseline (over CSR's)",
      [](const Ideal& s) { return s.memory(csb_baseline, 16); }, above(1.025));
  ideal(
      "GCSB misses the L1 less than CSB-baseline (its sectors over GCSB's, N + T)",
      [](const Ideal& s) { return s.missed(csb_baseline) / s.missed(gcsb); }, faster);

  // The same of the TITAN RTX, where its figures say something else.
  const Ideal on_titan(tables, false, table_titan, titan);
  const auto ideal_titan = [&](std::string text, const std::function<double(const Ideal&)>& of,
                               const Limits& holds) {
    add("ideal matrix, TITAN RTX: " + text, of(on_titan), of(ours), holds);
  };
  ideal_titan(
      "CSR's transposed product costs several times its plain one (T over N)",
      [](const Ideal& s) { return s.t(csr, chosen_block) / s.n(csr, chosen_block); }, several);
  ideal_titan(
      "with blocks of 32 CSB-baseline, too, is said to be faster than CSR (CSR over it)",
      [](const Ideal& s) { return s.both(csr, 32) / s.both(csb_baseline, 32); }, faster);
  ideal_titan(
      "GCSB with blocks of 32 is faster than CSR (CSR over it)",
      [](const Ideal& s) { return s.both(csr, 32) / s.both(gcsb, 32); }, faster);
  ideal_titan(
      "GCSB is far faster than CSB-baseline (blocks of 32)",
      [](const Ideal& s) { return s.both(csb_baseline, 32) / s.both(gcsb, 32); }, several);
  ideal_titan(
      "GCSB misses the L1 far less than CSB-baseline (its sectors over GCSB's, N + T)",
      [](const Ideal& s) { return s.missed(csb_baseline) / s.missed(gcsb); }, several);

  // §4.4.1, the collection.
  const auto& speed = printed()["speedup of GCSB"][a100];
  const auto& bytes = printed()["memory against CSR"];
  const Matrices named(f.named), random(f.random);
  const auto gain = [&](const Format& slow, const Format& quick) {
    return gain_by(hot, slow, quick);
  };
  add("named matrices: GCSB is faster than CSR on appu and the three genes (least speed-up)",
      least_said(speed, four), named.least(four, gain(csr, gcsb)), faster);
  add("named matrices: by more than two times at best (largest speed-up)", most_said(speed, five),
      named.most(five, gain(csr, gcsb)), several);
  add("named matrices: GCSB is a little faster than CSR on sme3Da", speed["sme3Da"],
      named.least({"sme3Da"}, gain(csr, gcsb)), faster);
  add("named matrices: on no others (largest speed-up of the rest)", no_figure,
      named.most_but(five, gain(csr, gcsb)), no_faster);
  add("named matrices: GCSB beats CSB-baseline on appu, human_gene1 and mouse_gene (least gain)",
      no_figure, named.least(three, gain(csb_baseline, gcsb)), faster);
  add("named matrices: GCSB beats COO on the same three (least gain)", no_figure,
      named.least(three, gain(coo, gcsb)), faster);
  add("named matrices: GCSB is slower than eCSB on all (largest gain over eCSB)", no_figure,
      named.most_but({}, gain(ecsb, gcsb)), slower);
  // Where it is so here: the paper's five are not all among them. The most that the paper calls
  // similar to CSR's memory is 1.09 of it (§4.4.1), and 1.09 is what rounds to it.
  const Limits about_as_much = between(1 / 1.095, 1.095);
  add("named matrices: where GCSB is faster, its memory is about CSR's (largest share)",
      most_said(bytes[gcsb.label], five),
      named.most_but({},
                     [&](const MatrixFigures& m) {
                       return faster(gain(csr, gcsb)(m)) ? memory(gcsb, csr)(m) : no_figure;
                     }),
      about_as_much);

  const auto& titan_speed = printed()["speedup of GCSB"][titan];
  add("named matrices, TITAN RTX: GCSB is faster than CSR on the same four (least speed-up)",
      least_said(titan_speed, four), named.least(four, gain(csr, gcsb)), faster);
  add("named matrices, TITAN RTX: and than CSB-baseline on all four (least gain)", no_figure,
      named.least(four, gain(csb_baseline, gcsb)), faster);
  add("named matrices, TITAN RTX: and than COO on appu, human_gene1 and mouse_gene (least gain)",
      no_figure, named.least(three, gain(coo, gcsb)), faster);
  // Nearer to half as much again than to none.
  add("named matrices, TITAN RTX: by nearly half as much again at best (largest speed-up)",
      most_said(titan_speed, four), named.most(four, gain(csr, gcsb)), above(1.25, gpu_noise));

  // §4.4.2, random matrices.
  add("random matrices: GCSB is faster than CSR from 0.5 % on (least speed-up)", no_figure,
      random.least(dense, gain(csr, gcsb)), faster);
  add("random matrices: GCSB is not faster below (largest speed-up)", no_figure,
      random.most(sparse, gain(csr, gcsb)), no_faster);
  add("random matrices: by nearly three times at best (largest speed-up)",
      printed()["largest speedup of GCSB on random matrices"][a100],
      random.most(dense, gain(csr, gcsb)), above(2.5, gpu_noise));  // nearer to three than to two
  add("random matrices: from 0.5 % on GCSB beats CSB-baseline, too (least gain)", no_figure,
      random.least(dense, gain(csb_baseline, gcsb)), faster);
  add("random matrices: above 20 % GCSB beats eCSB (least gain)", no_figure,
      random.least(above_twenty, gain(ecsb, gcsb)), faster);
  add("random matrices, TITAN RTX: GCSB is faster than CSR above 0.5 % (least speed-up)", no_figure,
      random.least(above_one_percent, gain(csr, gcsb)), faster);
  add("random matrices, TITAN RTX: not at 0.5 % and below (largest speed-up)", no_figure,
      random.most({"random_0.0001", "random_0.0005", "random_0.001", "random_0.005"},
                  gain(csr, gcsb)),
      no_faster);
  add("random matrices, TITAN RTX: by more than half as much again at best (largest speed-up)",
      printed()["largest speedup of GCSB on random matrices"][titan],
      random.most(dense, gain(csr, gcsb)), above(1.5, gpu_noise));
  add("random matrices, TITAN RTX: at best with 20 % of nonzeros (its gain over the best gain)",
      no_figure,
      random.least({"random_0.2"}, gain(csr, gcsb)) / random.most(dense, gain(csr, gcsb)),
      above(1 / (1 + no_difference), gpu_noise));
  add("random matrices, TITAN RTX: above 5 % GCSB beats eCSB (least gain)", no_figure,
      random.least(above_five, gain(ecsb, gcsb)), faster);
  add("random matrices: up to 0.1 % GCSB takes more memory than CSR (least share)", no_figure,
      random.least(sparse, memory(gcsb, csr)), above(1));
  // "Greater or similar": 1.09 of CSR's memory is what the paper still calls similar.
  const auto least_of_theirs = [&](const Format& format) {
    return least_of_all(
        {random.least(sparse, memory(format, coo)), random.least(sparse, memory(format, ecsb))});
  };
  add("random matrices: and as much as COO and eCSB or more (least share of theirs)", no_figure,
      least_of_theirs(gcsb), above(1 / 1.09));
  add("random matrices: up to 0.1 % CSB-baseline, too, takes more memory than CSR (least share)",
      no_figure, random.least(sparse, memory(csb_baseline, csr)), above(1));
  add("random matrices: and CSB-baseline as much as COO and eCSB or more (least share of theirs)",
      no_figure, least_of_theirs(csb_baseline), above(1 / 1.09));
  const auto most_of_theirs = [&](const Format& format) {
    return most_of_all(
        {random.most(dense, memory(format, coo)), random.most(dense, memory(format, ecsb))});
  };
  add("random matrices: from 0.5 % on less than COO and eCSB (largest share of theirs)", no_figure,
      most_of_theirs(gcsb), below(1));
  add("random matrices: and CSB-baseline less than theirs, too (largest share)", no_figure,
      most_of_theirs(csb_baseline), below(1));
  add("random matrices: at 0.5 % GCSB takes a little more memory than CSR",
      bytes[gcsb.label]["random_0.005"], random.least({"random_0.005"}, memory(gcsb, csr)),
      between(1, 1.095));
  add("random matrices: from 1 % on GCSB takes even less than that (largest share)", no_figure,
      random.most(above_one_percent, memory(gcsb, csr)), below(1.09));
  add("random matrices: COO and eCSB take half as much again (eCSB at 0.5 %)",
      bytes[ecsb.label]["random_0.005"], random.least({"random_0.005"}, memory(ecsb, csr)),
      between(1.45, 1.55));  // 1.5 when rounded
  // Two thirds to two digits: 8 bytes an entry and a little padding for eCSB's 12.
  add("random matrices: GCSB has two thirds of eCSB's memory (at 50 %)", 2.0 / 3,
      random.least({"random_0.5"}, memory(gcsb, ecsb)), between(0.655, 0.675));
  return all;
}

}  // namespace nz::lab::izawa2023
