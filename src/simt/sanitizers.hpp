#pragma once

// Whether the code is compiled for the address sanitizer, by GCC or clang, and what that wants to
// be told. The thread sanitizer cannot hold as many stacks as the emulator has: its builds go
// without.
#if defined(__SANITIZE_ADDRESS__)
#define NZ_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NZ_ASAN 1
#endif
#endif

#ifdef NZ_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
