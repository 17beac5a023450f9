#pragma once
#include <cstdint>

// A library that stands before the system's: it counts the calls of a kind and lets one of them
// fail. Linked to a program, or preloaded: then NZ_FAIL=KIND:N lets the call after the first N ones
// since main() fail, and NZ_FAIL_COUNT names a file that gets "KIND COUNT" lines at the end.
extern "C" {
// malloc and its like, which operator new stands on; thread creation; files.
enum NzFailKind {
  nz_fail_memory,
  nz_fail_map,
  nz_fail_thread,
  nz_fail_open,
  nz_fail_write,
  nz_fail_sync,
  nz_fail_rename,
  nz_fail_kinds
};
const char* nz_fail_name(int kind);
// From now on: the call of that kind after the first `after` ones fails; below 0: none, calls are
// only counted.
void nz_fail_begin(int kind, std::int64_t after);
// Calls between the two are neither counted nor fail: those of the test itself.
void nz_fail_pause();
void nz_fail_resume();
// No call fails any more. Returns how many there were since then.
std::int64_t nz_fail_end();
// Blocks of memory that were allocated and not freed, since the program began.
std::int64_t nz_fail_live();
}
