#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lab/bench/compare.hpp"
#include "lab/bench/record.hpp"
#include "lab/report/svg.hpp"

// What a report is made of: records, each on its own, and what can be said of one.
namespace nz::lab {

// A record, or that part of one that is of one device: times are compared within a run only.
struct Run {
  std::string name;         // short, no two alike
  std::string file;         // as it was given
  std::string record_name;  // the same for all runs of a record
  std::string place;        // "NVIDIA H200", "Neoverse-N1, 2 cores"
  Record record;
  // A sweep or a paper's experiment: measures one kernel many times, not ours against the peers.
  bool study = false;
  Sides sides{};  // who is ours, who a peer
  // Of a paper's experiment: its title, facts, tables and claims, as the record has them, and the
  // "places" they are of. Where several runs are of one record, one of them has it.
  nlohmann::ordered_json paper{};
  // Where the record has several numbers of vectors: all its results of this device. The first run
  // of the device has them.
  std::vector<Result> of_all_vectors{};
  FigureStyle style{};
  // Matrices whose lengths of rows are not the record's: they were made again from what it names.
  std::set<std::string> made_again{};
  // Patterns of matrices that have figures of their own, with every kernel; where nobody says,
  // those of a record with one matrix or two.
  std::vector<std::string> close_ups{};
};

// Whose a kernel is. This library's are ours even where "ours" names only those that compete; a
// peer that "peers" does not name is left out of every figure.
enum class Party { ours, peer, none };
Party party(const Sides& sides, const std::string& kernel);

struct LeftOut {
  std::string file, why;
};

struct Runs {
  std::vector<Run> runs;
  std::vector<LeftOut> left_out;  // what could not be read, and why
};

// Reads records of the bench and of the papers' experiments, each called as its file or, by
// NAME=FILE, as somebody likes. One that is cut off, of another version, empty or given twice is
// left out.
Runs read_runs(const std::vector<std::string>& files, const Sides& sides);

// Pictures and lengths of rows of the matrices that the record has none of, where they are
// generated and quickly made.
void add_pictures(Run& run);

// f64 N, f32 N, f64 T, f32 T.
struct Variant {
  std::string type, op;
  std::string text() const { return type + ' ' + op; }
  bool has(const Result& r) const { return r.type == type && r.op == op; }
};
// Those of which something was timed, in that order.
std::vector<Variant> variants(const Run& run);

// Ours against the peers, for one variant, or for all; those that have a time of both first. None
// of a study.
std::vector<Contest> contests(const Run& run, const std::optional<Variant>& variant = {});
// Of these, those that both have timed.
std::vector<Pair> pairs(const std::vector<Contest>& contests);

// The matrices in the order of the record; a result for each, from which shape and source are
// taken.
std::vector<const Result*> matrices(const Run& run);

// Who "ours" is, in words.
std::string ours_text(const std::vector<Contest>& contests);

// The run in a sentence: how much faster than the best peer, the worst case, the share of the
// bandwidth; or, where there are no peers, what else can be said.
struct Headline {
  std::string sentence;
  std::string brief;  // the same in a few words, for a list
  Summary summary{};  // no cases: nothing to compare with
  Pair best{};
  std::optional<double> share;  // the median of ours
};
Headline headline(const Run& run);

double median(std::vector<double> values);  // of one or more

// What a plan's model said of one product before it was timed; none where the record has nothing.
std::optional<double> predicted_seconds(const Run& run, const Result& r);

// By the kernel's own byte model, and as if it moved the bytes of plain CSR; bytes a second.
std::optional<double> own_rate(const Result& r);
std::optional<double> csr_rate(const Result& r);
// What plain CSR holds, without the vectors; 0 where it is not known.
double csr_storage(const Result& r);

// "cusparse/csr-alg1" for peer/cusparse/csr-alg1; ours as they are.
std::string short_name(const std::string& kernel);
std::string parameters_text(const Parameters& parameters);  // "piece=2048 threads=128"

}  // namespace nz::lab
