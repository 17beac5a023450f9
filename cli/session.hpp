#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json_fwd.hpp>
#include <nonzero/device.hpp>

#include "cli/failure.hpp"
#include "lab/bench/growing_file.hpp"
#include "lab/bench/source.hpp"
#include "lab/report/table.hpp"

namespace nz::cli {

// What all subcommands share: the common options, and where results go.
class Session {
 public:
  std::string program = "nonzero";  // as it was called, for commands to type
  std::string json;                 // "": none, "-": stdout, or a file
  std::uint64_t memory_limit = 0;   // of a matrix from a file; 0: the library's own choice
  bool allow_nan = false;           // and inf, in matrices of text
  bool quiet = false, verbose = false;
  bool stdout_has_data = false;  // a matrix or a vector goes there: text goes to stderr
  int threads = 0;               // 0: the library's own choice
  std::string device;            // as --device says; "": nobody said
  std::function<int()> action;   // the chosen subcommand; returns the exit code

  // Text for people, on stdout; silent when stdout is taken by --json -, on stderr when it has
  // data. A reader who has gone ends the program, unless a file is still to get results: that of
  // --json, or another one where `files` says so.
  void print(std::string_view text, bool files = false) const;
  void print(const lab::Table& table) const;
  template <class... Args>
  void say(fmt::format_string<Args...> format, Args&&... args) const {
    print(fmt::format(format, std::forward<Args>(args)...));
  }
  bool colour() const;
  // Tables are folded to the width of the terminal, or to COLUMNS; 0: they are as wide as they are.
  std::size_t width() const;
  int text_descriptor() const;  // where print() goes

  // The device that --device names, the CPU when it does not. Throws NoResource, with the reason,
  // for one that is not there.
  Device where() const;

  // The file that --json names, for what grows; none when there is no --json, or for stdout.
  lab::GrowingFile growing(bool resume = false) const;

  // The results for programs, where --json asks for them.
  void write(const nlohmann::ordered_json& results) const;

  // Loads a matrix, which may be called NAME=FILE, with a progress bar; says on stderr when the
  // matrix is a stand-in.
  lab::Source load(const std::string& what,
                   const lab::MatrixCache& cache = lab::MatrixCache("")) const;
};

// What a figure calls it: a file by its name without folder and endings.
std::string title_of(const lab::Source& s);

// As --json has it.
std::string json_text(const nlohmann::ordered_json& results);

// The shape for people: "10 x 20, 31 nonzeros".
std::string shape_text(const CsrView<double, std::int64_t>& a);

// What rounding has done to the values, for programs.
nlohmann::ordered_json record(const ValueRounding& r);

// The keys that every record of a matrix has: name, rows, cols, nnz, stand_in, note, index_base.
// Rows, nodes and states of records count from 0; what people read counts from 1 and says so.
nlohmann::ordered_json describe(const lab::Source& s);

}  // namespace nz::cli
