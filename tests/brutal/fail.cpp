#include "brutal/fail.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

namespace {

constexpr const char* names[] = {"memory", "map", "thread", "open", "write", "sync", "rename"};

std::atomic<int> armed{-1};  // the kind that is counted; below 0: none
std::atomic<std::int64_t> left{-1}, seen{0}, live{0};
std::atomic<std::int64_t> all_seen[nz_fail_kinds];
std::atomic<bool> counting_all{false}, paused{false};

// libgomp and the dynamic loader end the process where memory for their own threads is short;
// nothing in a program can help that. Their allocations are left alone, and the threads that
// libgomp creates: the library has just seen that as many can be created (base/team_size.hpp), and
// those attempts do fail here.
struct Range {
  std::uintptr_t begin, end;
};
Range left_alone[8];
std::atomic<int> ranges{-1};

int find_ranges(dl_phdr_info* info, std::size_t, void* count) {
  int& n = *static_cast<int*>(count);
  const std::string_view name = info->dlpi_name;
  if (n == 8 || (name.find("libgomp") == name.npos && name.find("ld-linux") == name.npos)) return 0;
  Range r{UINTPTR_MAX, 0};
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
    const std::uintptr_t at = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    r.begin = std::min(r.begin, at);
    r.end = std::max(r.end, at + info->dlpi_phdr[i].p_memsz);
  }
  left_alone[n++] = r;
  return 0;
}

bool is_left_alone(const void* caller) {
  if (ranges.load() < 0) {
    int n = 0;
    dl_iterate_phdr(find_ranges, &n);
    // Nor can it help that glibc aborts where a thread's destructors cannot be noted.
    if (const void* f = dlsym(RTLD_DEFAULT, "__cxa_thread_atexit_impl"); f && n < 8) {
      const auto at = reinterpret_cast<std::uintptr_t>(f);
      left_alone[n++] = {at, at + 512};
    }
    ranges = n;
  }
  const auto at = reinterpret_cast<std::uintptr_t>(caller);
  for (int i = 0; i < ranges.load(); ++i)
    if (at >= left_alone[i].begin && at < left_alone[i].end) return true;
  return false;
}

bool fails(int kind, const void* caller = nullptr) {
  if ((kind == nz_fail_memory || kind == nz_fail_thread) && (counting_all || armed >= 0) &&
      is_left_alone(caller))
    return false;
  if (counting_all.load(std::memory_order_relaxed)) ++all_seen[kind];
  if (armed.load(std::memory_order_relaxed) != kind || paused.load(std::memory_order_relaxed))
    return false;
  ++seen;
  return left.load(std::memory_order_relaxed) >= 0 && left-- == 0;
}

void* counted(void* p) {
  if (p) ++live;
  return p;
}

// The system's function of that name; looked up when it is first needed.
template <class F>
F* next(std::atomic<void*>& kept, const char* name) {
  void* f = kept.load();
  if (!f) kept = f = dlsym(RTLD_NEXT, name);
  return reinterpret_cast<F*>(f);
}
#define NEXT(name)                              \
  ([] {                                         \
    static std::atomic<void*> kept;             \
    return next<decltype(::name)>(kept, #name); \
  }())

}  // namespace

extern "C" {

const char* nz_fail_name(int kind) { return names[kind]; }

void nz_fail_begin(int kind, std::int64_t after) {
  seen = 0;
  left = after;
  armed = kind;
}
void nz_fail_pause() { paused = true; }
void nz_fail_resume() { paused = false; }
std::int64_t nz_fail_end() {
  armed = -1;
  left = -1;
  return seen;
}
std::int64_t nz_fail_live() { return live; }

// glibc's own functions under their other names: dlsym() itself would allocate.
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);

static void* no_memory() {
  errno = ENOMEM;
  return nullptr;
}
void* malloc(std::size_t n) {
  return fails(nz_fail_memory, __builtin_return_address(0)) ? no_memory()
                                                            : counted(__libc_malloc(n));
}
void* calloc(std::size_t n, std::size_t size) {
  return fails(nz_fail_memory, __builtin_return_address(0)) ? no_memory()
                                                            : counted(__libc_calloc(n, size));
}
void* realloc(void* p, std::size_t n) {
  if (fails(nz_fail_memory, __builtin_return_address(0))) return no_memory();
  void* q = __libc_realloc(p, n);
  if (!p && q) ++live;
  if (p && !q && n == 0) --live;
  return q;
}
void* aligned_alloc(std::size_t alignment, std::size_t n) {
  return fails(nz_fail_memory, __builtin_return_address(0))
             ? no_memory()
             : counted(__libc_memalign(alignment, n));
}
void* memalign(std::size_t alignment, std::size_t n) {
  return fails(nz_fail_memory, __builtin_return_address(0))
             ? no_memory()
             : counted(__libc_memalign(alignment, n));
}
int posix_memalign(void** p, std::size_t alignment, std::size_t n) {
  if (fails(nz_fail_memory, __builtin_return_address(0))) return ENOMEM;
  *p = counted(__libc_memalign(alignment, n));
  return *p ? 0 : ENOMEM;
}
void free(void* p) {
  if (p) --live;
  __libc_free(p);
}

void* mmap(void* at, std::size_t n, int protection, int flags, int fd, off_t offset) {
  if (!fails(nz_fail_map)) return NEXT(mmap)(at, n, protection, flags, fd, offset);
  errno = ENOMEM;
  return MAP_FAILED;
}
void* mmap64(void* at, std::size_t n, int protection, int flags, int fd, off64_t offset) {
  return mmap(at, n, protection, flags, fd, offset);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* how, void* (*body)(void*), void* arg) {
  return fails(nz_fail_thread, __builtin_return_address(0))
             ? EAGAIN
             : NEXT(pthread_create)(thread, how, body, arg);
}

#define WITH_MODE(flags, mode)             \
  if ((flags) & (O_CREAT | __O_TMPFILE)) { \
    va_list rest;                          \
    va_start(rest, flags);                 \
    (mode) = va_arg(rest, mode_t);         \
    va_end(rest);                          \
  }
int open(const char* path, int flags, ...) {
  mode_t mode = 0;
  WITH_MODE(flags, mode)
  if (!fails(nz_fail_open)) return NEXT(open)(path, flags, mode);
  errno = EMFILE;
  return -1;
}
int open64(const char* path, int flags, ...) {
  mode_t mode = 0;
  WITH_MODE(flags, mode)
  return open(path, flags, mode);
}
int openat(int folder, const char* path, int flags, ...) {
  mode_t mode = 0;
  WITH_MODE(flags, mode)
  if (!fails(nz_fail_open)) return NEXT(openat)(folder, path, flags, mode);
  errno = EMFILE;
  return -1;
}
FILE* fopen(const char* path, const char* mode) {
  if (!fails(nz_fail_open)) return NEXT(fopen)(path, mode);
  errno = EMFILE;
  return nullptr;
}
FILE* fopen64(const char* path, const char* mode) { return fopen(path, mode); }

// Terminals and pipes are left alone: what fails is the disk.
static bool disk_fails(int fd) { return fd > 2 && fails(nz_fail_write); }
ssize_t write(int fd, const void* bytes, std::size_t n) {
  if (!disk_fails(fd)) return NEXT(write)(fd, bytes, n);
  errno = ENOSPC;
  return -1;
}
ssize_t writev(int fd, const iovec* parts, int n) {
  if (!disk_fails(fd)) return NEXT(writev)(fd, parts, n);
  errno = ENOSPC;
  return -1;
}
int fsync(int fd) {
  if (!fails(nz_fail_sync)) return NEXT(fsync)(fd);
  errno = EIO;
  return -1;
}
int fdatasync(int fd) {
  if (!fails(nz_fail_sync)) return NEXT(fdatasync)(fd);
  errno = EIO;
  return -1;
}
int rename(const char* from, const char* to) {
  if (!fails(nz_fail_rename)) return NEXT(rename)(from, to);
  errno = EACCES;
  return -1;
}

}  // extern "C"

namespace {

using Main = int (*)(int, char**, char**);
Main real_main = nullptr;

void write_counts(const char* file) {
  counting_all = false;
  if (FILE* out = NEXT(fopen)(file, "w")) {
    for (int k = 0; k < nz_fail_kinds; ++k)
      std::fprintf(out, "%s %lld\n", names[k], static_cast<long long>(all_seen[k].load()));
    std::fclose(out);
  }
}

int main_with_failures(int argc, char** argv, char** environment) {
  if (const char* what = std::getenv("NZ_FAIL"))
    for (int k = 0; k < nz_fail_kinds; ++k) {
      const std::size_t n = std::strlen(names[k]);
      if (std::strncmp(what, names[k], n) == 0 && what[n] == ':')
        nz_fail_begin(k, std::strtoll(what + n + 1, nullptr, 10));
    }
  const char* counts = std::getenv("NZ_FAIL_COUNT");
  counting_all = counts != nullptr;
  const int code = real_main(argc, argv, environment);
  if (counts) write_counts(counts);
  nz_fail_end();  // what runs after main() is not the program's to handle
  return code;
}

}  // namespace

extern "C" int __libc_start_main(Main main, int argc, char** argv, int (*init)(int, char**, char**),
                                 void (*fini)(), void (*rtld_fini)(), void* stack_end) {
  real_main = main;
  using Start = int(Main, int, char**, int (*)(int, char**, char**), void (*)(), void (*)(), void*);
  auto* start = reinterpret_cast<Start*>(dlsym(RTLD_NEXT, "__libc_start_main"));
  return start(main_with_failures, argc, argv, init, fini, rtld_fini, stack_end);
}
