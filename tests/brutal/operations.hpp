#pragma once
#include <functional>
#include <string>
#include <vector>

namespace nz::brutal {

// Something the library does that takes resources. It is run in a process of its own.
struct Operation {
  std::string name;
  // Throws std::logic_error where the result is wrong; what the library throws goes through.
  std::function<void()> run;
  bool on_device = false;  // allocations on the emulator fail, too
  // A file that run() makes: whole or not there after a failure, and nothing beside it.
  std::string file{};
};

// `folder` is for their files and is there, with what they read, before any of them runs.
std::vector<Operation> operations(const std::string& folder);

}  // namespace nz::brutal
