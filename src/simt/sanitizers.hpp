#pragma once

// Which sanitizer the code is compiled for, by GCC or clang, and what it wants to be told.
#if defined(__SANITIZE_ADDRESS__)
#define NZ_ASAN 1
#elif defined(__SANITIZE_THREAD__)
#define NZ_TSAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NZ_ASAN 1
#elif __has_feature(thread_sanitizer)
#define NZ_TSAN 1
#endif
#endif

#ifdef NZ_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef NZ_TSAN
#include <sanitizer/tsan_interface.h>
#endif
