#include "cli/reporter.hpp"

#include <algorithm>

#include <nonzero/error.hpp>

#include "cli/interrupts.hpp"
#include "cli/terminal.hpp"
#include "lab/report/text.hpp"

namespace nz::cli {

namespace {

using namespace std::chrono_literals;
constexpr auto retry = 10s;  // after a record that could not be written

void tell(const lab::Result& r) {
  detail("{} {} {} {} on {}: {}", r.matrix, r.kernel, r.type, r.op,
         lab::plural(r.threads, "thread", "threads"),
         r.timed()                     ? lab::seconds_text(*r.median_s)
         : r.status == lab::Status::ok ? std::string("right")
                                       : fmt::format("{}: {}", name(r.status), r.reason));
}

}  // namespace

int Reporter::run(const lab::Order& order, lab::Record& record) {
  const Interruptible interruptible;
  told_ = record.results.size();  // what was there before
  next_write_ = {};               // the first result is kept at once, however slow the disk is
  const bool complete = lab::run(order, record, *this);
  bar_.reset();
  return complete ? 0 : Interruptible::noted();
}

lab::Source Reporter::load(const lab::SuiteMatrix& m) {
  bar_.reset();
  return session_.load(m.source, cache_);
}

void Reporter::loaded(const lab::SuiteMatrix& m, const lab::Source& s) {
  const char* how = s.file || s.cached == "from the cache" ? "read" : "generated";
  status("{}: {}, {} in {}{}{}", m.name, shape_text(s.matrix.view()), how,
         lab::seconds_text(s.seconds), s.cached.empty() ? "" : ", ", s.cached);
}

void Reporter::next(std::size_t done, std::size_t total, const lab::SuiteMatrix& m,
                    const lab::Job& job) {
  if (!bar_) bar_ = std::make_unique<ProgressBar>("measuring");
  bar_->update(done, total, fmt::format("{} {}", m.name, job.kernel->id()));
}

void Reporter::measured(const lab::Record& record) {
  for (; told_ < record.results.size(); ++told_) tell(record.results[told_]);
  // A long record of short cases: writing takes a twentieth of the time at most.
  if (Clock::now() < next_write_) return;
  try {
    write(record);
    unwritten_ = false;
  } catch (const Error& e) {
    if (!unwritten_) {
      bar_.reset();
      complain("note: no record for now: {}", e.what());
    }
    unwritten_ = true;
    next_write_ = Clock::now() + retry;
  }
}

void Reporter::write(const lab::Record& record) {
  const auto start = Clock::now();
  file_.write(lab::text(record));
  next_write_ = Clock::now() + 20 * (Clock::now() - start);
}

void Reporter::finish(const lab::Record& record) { file_.finish(lab::text(record)); }

bool Reporter::stop() { return Interruptible::noted() != 0; }

int verdict(const lab::Record& record) {
  const auto bad = [](const lab::Result& r) {
    return r.status == lab::Status::wrong || r.status == lab::Status::failed;
  };
  return std::any_of(record.results.begin(), record.results.end(), bad) ? check_failed : ok;
}

}  // namespace nz::cli
