#pragma once
#include <exception>
#include <string>

namespace nz::cli {

// The exit codes of the program.
enum Exit {
  ok = 0,
  check_failed = 1,
  usage = 2,
  bad_input = 3,     // also what a kernel declines, and files that cannot be read or written
  no_resource = 4,   // no device, no memory, no threads
  device_fault = 5,  // work on a device went wrong
  unexpected = 6     // a mistake in the program itself
};
constexpr const char* exit_codes =
    "Exit codes: 0 ok, 1 a check failed, 2 usage, 3 bad input, 4 no device or memory,\n"
    "5 work on a device went wrong, 6 an error in nonzero itself.";

struct Failure {
  Exit code;
  std::string message;  // one line
};

// What the program says and how it ends when this leaves a subcommand.
Failure failure_of(const std::exception_ptr& error);

}  // namespace nz::cli
