#pragma once
#include <stdexcept>
#include <string>

#include <nonzero/export.hpp>

namespace NZ_API nz {

// Every exception the library throws on purpose derives from Error, says what was wrong and where.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The caller asked for something that makes no sense: wrong length, unknown name, bad parameter.
struct InvalidArgument : Error {
  using Error::Error;
};

// Data from outside is broken: a file, a stream, a matrix whose arrays contradict each other.
struct BadInput : Error {
  using Error::Error;
};

// A format or kernel declines a matrix it could only hold wastefully (the message has the ratio).
struct Refused : Error {
  using Error::Error;
};

// The machine lacks something: memory or a device.
struct NoResource : Error {
  using Error::Error;
};

// Work on a device went wrong: a kernel that broke a rule, on the emulator with its name, block and
// thread; whatever CUDA reports, with the call or kernel that met it.
struct DeviceFault : Error {
  using Error::Error;
};

}  // namespace nz
