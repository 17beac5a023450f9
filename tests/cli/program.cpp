#include "support/program.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <fcntl.h>
#include <pty.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/isa.hpp"
#include "support/temp_dir.hpp"

extern char** environ;

namespace nz::test {
namespace {

const char* const program = NZ_BINARY_DIR "/nonzero";

// The strings of argv or envp, ending in a null pointer.
class Pointers {
 public:
  explicit Pointers(std::vector<std::string> strings) : strings_(std::move(strings)) {
    for (std::string& s : strings_) pointers_.push_back(s.data());
    pointers_.push_back(nullptr);
  }
  char** data() { return pointers_.data(); }

 private:
  std::vector<std::string> strings_;
  std::vector<char*> pointers_;
};

Pointers argument_list(const std::vector<std::string>& arguments) {
  std::vector<std::string> all{program};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return Pointers(all);
}

Pointers environment_list(const Environment& extra) {
  Environment all;
  for (char** e = environ; *e; ++e) {
    const std::string entry = *e;
    const auto equals = entry.find('=');
    if (equals != entry.npos) all[entry.substr(0, equals)] = entry.substr(equals + 1);
  }
  for (const char* name : {"NO_COLOR", "COLUMNS", "LINES", "LC_CTYPE", "LANG"}) all.erase(name);
  all["LC_ALL"] = "C.UTF-8";
  all["TERM"] = "xterm";
  // The leak check of the address sanitizer takes seconds a process on some machines.
  all["ASAN_OPTIONS"] = "detect_leaks=0";
  // One that is timed in every process may differ between two that a test compares.
  all.try_emplace("NONZERO_ISA", name(isa()));
  for (const auto& [name, value] : extra) all[name] = value;
  std::vector<std::string> entries;
  for (const auto& [name, value] : all)
    if (!value.empty()) entries.push_back(name + '=' + value);
  return Pointers(entries);
}

int wait_for(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) throw std::runtime_error("waitpid failed");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

pid_t start(int out, const std::string& err, const std::vector<std::string>& arguments,
            const Environment& extra) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT, 0600);
  Pointers argv = argument_list(arguments), envp = environment_list(extra);
  pid_t pid = 0;
  // Signals as in a terminal: in the background of a script some are ignored.
  posix_spawnattr_t how;
  posix_spawnattr_init(&how);
  sigset_t usual;
  sigemptyset(&usual);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT, SIGUSR1, SIGUSR2, SIGXCPU,
                           SIGXFSZ, SIGALRM, SIGVTALRM})
    sigaddset(&usual, signal);
  posix_spawnattr_setsigdefault(&how, &usual);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGDEF);
  const int failure = posix_spawn(&pid, program, &files, &how, argv.data(), envp.data());
  posix_spawnattr_destroy(&how);
  posix_spawn_file_actions_destroy(&files);
  if (failure != 0) throw std::runtime_error(std::string(program) + ": " + std::strerror(failure));
  return pid;
}

Outcome spawn(int out, const std::vector<std::string>& arguments, const Environment& extra) {
  const TempDir dir;
  const std::string err = dir("err");
  Outcome o{.code = wait_for(start(out, err, arguments, extra))};
  o.err = read_file(err);
  return o;
}

}  // namespace

Outcome nonzero_into(const std::string& stdout_path, const std::vector<std::string>& arguments) {
  const int out = open(stdout_path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (out < 0) throw std::runtime_error("cannot open " + stdout_path);
  Outcome o = spawn(out, arguments, {});
  close(out);
  return o;
}

Outcome nonzero(const std::vector<std::string>& arguments, const Environment& extra) {
  const TempDir dir;
  const std::string path = dir("out");
  const int out = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  Outcome o = spawn(out, arguments, extra);
  close(out);
  o.out = read_file(path);
  return o;
}

Outcome nonzero_into_closed_pipe(const std::vector<std::string>& arguments) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
  close(ends[0]);
  Outcome o = spawn(ends[1], arguments, {});
  close(ends[1]);
  return o;
}

namespace {

Outcome nonzero_within(int resource, std::size_t bytes, const std::vector<std::string>& arguments) {
  // A child inherits the limit; what this process holds already does not count against itself
  // until it asks for more.
  rlimit before{};
  getrlimit(resource, &before);
  rlimit limit = before;
  limit.rlim_cur = bytes;
  const TempDir dir;
  const std::string path = dir("out");
  const int out = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  setrlimit(resource, &limit);
  Outcome o;
  try {
    o = spawn(out, arguments, {{"OMP_NUM_THREADS", "2"}});
  } catch (...) {
    setrlimit(resource, &before);
    throw;
  }
  setrlimit(resource, &before);
  close(out);
  o.out = read_file(path);
  return o;
}

}  // namespace

Outcome nonzero_with_memory(std::size_t bytes, const std::vector<std::string>& arguments) {
  return nonzero_within(RLIMIT_DATA, bytes, arguments);
}

Outcome nonzero_with_files(std::size_t bytes, const std::vector<std::string>& arguments) {
  return nonzero_within(RLIMIT_FSIZE, bytes, arguments);
}

Running::Running(const std::vector<std::string>& arguments) : dir_(std::make_unique<TempDir>()) {
  const int out = open("/dev/null", O_WRONLY | O_CLOEXEC);
  // Some signals that it may be sent would leave a core file.
  rlimit before{};
  getrlimit(RLIMIT_CORE, &before);
  const rlimit none{.rlim_cur = 0, .rlim_max = before.rlim_max};
  setrlimit(RLIMIT_CORE, &none);
  pid_ = start(out, (*dir_)("err"), arguments, {});
  setrlimit(RLIMIT_CORE, &before);
  close(out);
}

Running::~Running() {
  if (pid_ == 0) return;
  ::kill(pid_, SIGKILL);
  wait_for(pid_);
}

bool Running::ended() const {
  siginfo_t about{};
  return waitid(P_PID, static_cast<id_t>(pid_), &about, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         about.si_pid == pid_;
}

void Running::send(int signal) const { ::kill(pid_, signal); }

Outcome Running::wait() {
  Outcome o{.code = wait_for(std::exchange(pid_, 0))};
  o.err = read_file((*dir_)("err"));
  return o;
}

namespace {

// Types Ctrl-C once `seen` was seen; an empty one never is.
Outcome on_terminal(const std::vector<std::string>& arguments, const Environment& extra,
                    std::string seen) {
  Pointers argv = argument_list(arguments), envp = environment_list(extra);
  winsize size{.ws_row = 24, .ws_col = 80, .ws_xpixel = 0, .ws_ypixel = 0};
  int terminal = -1;
  const pid_t pid = forkpty(&terminal, nullptr, nullptr, &size);
  if (pid < 0) throw std::runtime_error("forkpty failed");
  if (pid == 0) {
    execve(program, argv.data(), envp.data());
    _exit(127);
  }
  Outcome o;
  char buffer[4096];
  // The terminal ends with EIO when the program has closed its side.
  for (ssize_t n; (n = read(terminal, buffer, sizeof buffer)) > 0;) {
    o.out.append(buffer, static_cast<std::size_t>(n));
    if (seen.empty() || !has(o.out, seen)) continue;
    seen.clear();
    if (write(terminal, "\x03", 1) != 1) throw std::runtime_error("cannot type");
  }
  o.code = wait_for(pid);
  close(terminal);
  return o;
}

}  // namespace

Outcome nonzero_on_terminal(const std::vector<std::string>& arguments, const Environment& extra) {
  return on_terminal(arguments, extra, "");
}

Outcome nonzero_interrupted_on_terminal(const std::vector<std::string>& arguments,
                                        const std::string& seen) {
  return on_terminal(arguments, {}, seen);
}

}  // namespace nz::test
