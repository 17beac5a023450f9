#include "brutal/commands.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "brutal/fail.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"

namespace nz::brutal {

#ifndef NZ_PROGRAM  // a build without the program
void run_commands(Table&, std::int64_t, const std::string&, const std::string&) {}
#else

namespace {

namespace fs = std::filesystem;
using Files = std::map<std::string, std::string>;  // name and content

struct Command {
  std::vector<std::string> arguments;
  // Files that it makes, each the same every time, or one whose content may differ.
  std::vector<std::string> makes{};
  bool same = true;
};

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {
      {{"list"}},
      {{"devices"}},
      {{"info", "a.mtx"}},
      {{"gen", "grid", "nx=6", "ny=5", "-o", "g.mtx"}, {"g.mtx"}},
      {{"convert", "a.mtx", "c.nzb"}, {"c.nzb"}},
      {{"convert", "a.mtx", "c.mtx.gz"}, {"c.mtx.gz"}},
      {{"spy", "a.mtx", "-o", "s.png"}, {"s.png"}},
      {{"run", "a.mtx", "-o", "y.npy"}, {"y.npy"}},
      {{"plan", "a.mtx", "--json", "p.json"}, {"p.json"}, false},
      {{"check", "a.mtx", "--kernels", "cpu/csr/*"}},
      {{"solve", "a.mtx", "--method", "cg", "-o", "x.mtx"}, {"x.mtx"}},
      {{"stationary", "chain.mtx", "-o", "d.npy"}, {"d.npy"}},
      {{"reproduce"}},
      {{"sweep", "cpu/csr/balanced", "a.mtx", "--param", "grain=8,16", "--time-limit", "0.001",
        "--buffer", "1", "--json", "w.json"},
       {"w.json"},
       false},
      {{"pagerank", "a.mtx", "--unweighted", "-o", "r.npy"}, {"r.npy"}},
      {{"bench", "a.mtx", "--kernels", "cpu/csr/serial", "--ops", "N", "--time-limit", "0.001",
        "--max-samples", "3", "--buffer", "1", "--json", "b.json"},
       {"b.json"},
       false},
      {{"compare", "old.json", "old.json"}},
      {{"report", "old.json", "-o", "page.html"}, {"page.html"}, false},
  };
  return all;
}

Files files_in(const std::string& folder) {
  Files all;
  for (const auto& e : fs::directory_iterator(folder)) {
    std::ifstream in(e.path(), std::ios::binary);
    all[e.path().filename().string()] = {std::istreambuf_iterator<char>(in), {}};
  }
  return all;
}

// Runs it in a folder that has what it needs.
class Stage {
 public:
  explicit Stage(const Command& c) : command_(c) {
    std::ofstream(dir_("a.mtx")) << "%%MatrixMarket matrix coordinate real symmetric\n"
                                    "4 4 7\n1 1 4\n2 1 -1\n2 2 4\n3 2 -1\n3 3 4\n4 3 -1\n4 4 4\n";
    std::ofstream(dir_("chain.mtx")) << "%%MatrixMarket matrix coordinate real general\n"
                                        "2 2 3\n1 1 0.5\n1 2 0.5\n2 1 1\n";
    const test::Outcome made =
        run({"bench", "a.mtx", "--kernels", "cpu/csr/serial", "--ops", "N", "--time-limit", "0.001",
             "--max-samples", "3", "--buffer", "1", "--json", "old.json"},
            {});
    if (made.code != 0) throw std::runtime_error("no record to begin with: " + made.err);
    before_ = files_in(dir_(""));
  }

  test::Outcome run(std::vector<std::string> arguments, const test::Environment& extra) {
    // Names of files are within the folder.
    for (std::string& a : arguments) {
      const fs::path p(a);
      static const std::set<std::string> ends = {".mtx", ".nzb",  ".gz",  ".png",
                                                 ".npy", ".json", ".html"};
      if (ends.contains(p.extension().string())) a = dir_(a);
    }
    arguments.insert(arguments.end(), {"--threads", "2"});
    if (arguments[0] == "list" || arguments[0] == "devices" || arguments[0] == "compare" ||
        arguments[0] == "report")
      arguments.resize(arguments.size() - 2);
    test::Environment environment = extra;
    environment["LD_PRELOAD"] = NZ_FAIL_LIBRARY;
    environment["NONZERO_TUNING"] = "off";
    return test::nonzero(arguments, environment);
  }
  test::Outcome run(const test::Environment& extra) { return run(command_.arguments, extra); }

  // How often it does each; and what it makes.
  std::map<std::string, std::int64_t> counts() {
    const test::TempDir aside;
    const test::Outcome o = run({{"NZ_FAIL_COUNT", aside("counts")}});
    if (o.code != 0) throw std::runtime_error("fails by itself: " + o.err);
    whole_ = files_in(dir_(""));
    std::map<std::string, std::int64_t> all;
    std::ifstream in(aside("counts"));
    std::string kind;
    for (std::int64_t n; in >> kind >> n;) all[kind] = n;
    clear();
    return all;
  }

  // Commands that measure go on where memory is too short for a case, and their record says so.
  bool says_what_failed() {
    for (const auto& [name, content] : files_in(dir_("")))
      if (!before_.contains(name) && content.find("\"status\":\"failed\"") != content.npos &&
          content.find("not enough memory") != content.npos)
        return true;
    return false;
  }

  // What is wrong with how it failed; empty: nothing.
  std::string fail(const std::string& kind, std::int64_t point, bool& refused) {
    const test::Outcome o = run({{"NZ_FAIL", fmt::format("{}:{}", kind, point)}});
    refused = o.code != 0;
    std::string wrong;
    // Before it may stand what was done so far.
    constexpr std::string_view begin = "nonzero: error: ";
    const auto error = o.err.find(begin);
    const bool told = error != o.err.npos && o.err.find('\n', error) + 1 == o.err.size() &&
                      (error == 0 || o.err[error - 1] == '\n');
    if (o.code >= 128)
      wrong = fmt::format("died of signal {}", o.code - 128);
    else if (o.code == 1 && says_what_failed())
      wrong = "";
    else if (o.code == 1 || o.code > 5)
      wrong = fmt::format("exit code {}", o.code);
    else if (refused && !told)
      wrong = fmt::format("exit code {} without a line that says why", o.code);
    else if (refused && kind == "memory" && o.code != 4)
      wrong = fmt::format("exit code {} where memory was short", o.code);
    if (!wrong.empty() && !o.err.empty()) wrong += ": " + o.err.substr(0, 160);
    const Files now = files_in(dir_(""));
    for (const auto& [name, content] : now) {
      const bool made =
          std::find(command_.makes.begin(), command_.makes.end(), name) != command_.makes.end();
      if (!made && !before_.contains(name)) wrong = "left " + name + " behind";
      if (before_.contains(name) && before_.at(name) != content) wrong = "changed " + name;
      if (made && command_.same && content != whole_.at(name)) wrong = name + " is not whole";
      if (made && !command_.same && !content.ends_with("\n") && !content.ends_with("</html>"))
        wrong = name + " is not whole";
    }
    if (!refused)
      for (const std::string& name : command_.makes)
        if (!now.contains(name)) wrong = name + " is not there";
    clear();
    return wrong;
  }

 private:
  void clear() {
    for (const auto& [name, content] : files_in(dir_("")))
      if (!before_.contains(name)) fs::remove(dir_(name));
  }

  const Command& command_;
  test::TempDir dir_;
  Files before_, whole_;
};

}  // namespace

void run_commands(Table& table, std::int64_t most, const std::string& only, const std::string&) {
  for (const Command& c : commands()) {
    std::string name = "nonzero " + c.arguments[0];
    if (c.arguments[0] == "convert") name += " to " + c.arguments[2];
    if (name.find(only) == name.npos) continue;
    try {
      Stage stage(c);
      for (const auto& [kind, points] : stage.counts()) {
        Round r{.points = points};
        const std::int64_t step = std::max<std::int64_t>(1, (points + most - 1) / most);
        for (std::int64_t n = 0; n < points; n += step) {
          bool refused = false;
          const std::string wrong = stage.fail(kind, n, refused);
          ++r.tried;
          ++(refused ? r.refused : r.survived);
          if (!wrong.empty()) r.add(n, wrong);
        }
        table.add(name, kind, r);
      }
    } catch (const std::exception& e) {
      Round r{.points = 0};
      r.add(-1, e.what());
      table.add(name, "-", r);
    }
  }
}

#endif

}  // namespace nz::brutal
