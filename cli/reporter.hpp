#pragma once
#include <chrono>
#include <memory>
#include <utility>

#include "cli/progress.hpp"
#include "cli/session.hpp"
#include "lab/bench/growing_file.hpp"
#include "lab/bench/runner.hpp"

namespace nz::cli {

// Tells a terminal how measuring goes, and writes the record after every job, or, where writing it
// has become slow against the jobs, now and then.
class Reporter final : public lab::Listener {
 public:
  // The record grows in that file.
  Reporter(const Session& session, lab::GrowingFile file,
           lab::MatrixCache cache = lab::MatrixCache(""))
      : session_(session), file_(std::move(file)), cache_(std::move(cache)) {}

  // Measures. A signal that is noted (cli/interrupts.hpp) ends it after the case at hand; returns
  // the signal, 0 when all was measured. A record that cannot be written meanwhile is told once and
  // ends nothing.
  int run(const lab::Order& order, lab::Record& record);

  lab::Source load(const lab::SuiteMatrix& m) override;
  void loaded(const lab::SuiteMatrix& m, const lab::Source& s) override;
  void next(std::size_t done, std::size_t total, const lab::SuiteMatrix& m,
            const lab::Job& job) override;
  void measured(const lab::Record& record) override;
  bool stop() override;

  // To the file, if there is one: all there is so far, or all there will be.
  void write(const lab::Record& record);
  void finish(const lab::Record& record);

 private:
  using Clock = std::chrono::steady_clock;
  const Session& session_;
  lab::GrowingFile file_;
  lab::MatrixCache cache_;
  Clock::time_point next_write_{};
  std::unique_ptr<ProgressBar> bar_;
  bool unwritten_ = false;  // the last time that was tried
  std::size_t told_ = 0;    // results that --verbose has shown
};

// The exit code: a wrong result or a failure is one, what a kernel declines is none.
int verdict(const lab::Record& record);

}  // namespace nz::cli
