#pragma once
#include <dlfcn.h>

#include <atomic>
#include <mutex>
#include <string>

#include <fmt/format.h>
#include <nonzero/error.hpp>

// A shared library that is loaded when its first function is called. cuBLAS takes a tenth of a
// second to load, and most commands never call it.
namespace nz::lab::peers {

class LateLibrary {
 public:
  // By its name where the system finds libraries, else in the folder that it was found in at build
  // time.
  LateLibrary(const char* name, const char* path) : name_(name), path_(path) {}

  // Throws NoResource when the library or the function is not there.
  void* find(const char* function) {
    std::call_once(once_, [&] {
      handle_ = dlopen(name_, RTLD_NOW | RTLD_LOCAL);
      if (!handle_) handle_ = dlopen(path_, RTLD_NOW | RTLD_LOCAL);
      if (const char* why = handle_ ? nullptr : dlerror()) why_ = why;
    });
    if (!handle_) throw NoResource(fmt::format("cannot load {} (or {}): {}", name_, path_, why_));
    void* const address = dlsym(handle_, function);
    if (!address) throw NoResource(fmt::format("{} has no {}", name_, function));
    return address;
  }

 private:
  const char *name_, *path_;
  std::once_flag once_;
  void* handle_ = nullptr;
  std::string why_{};  // it could not be loaded
};

// F is the function's type, as decltype gives it.
template <class F>
class LateFunction;
template <class R, class... Args>
class LateFunction<R(Args...)> {
 public:
  LateFunction(LateLibrary& library, const char* name) : library_(library), name_(name) {}
  R operator()(Args... args) const {
    Call* call = call_.load(std::memory_order_acquire);
    if (!call) {
      call = reinterpret_cast<Call*>(library_.find(name_));
      call_.store(call, std::memory_order_release);
    }
    return call(args...);
  }

 private:
  using Call = R(Args...);
  LateLibrary& library_;
  const char* name_;
  mutable std::atomic<Call*> call_ = nullptr;
};

// The function `name` of the header, found when it is called first. A macro of the header
// (cublasCreate is cublasCreate_v2) stands for what it means.
#define NZ_LATE_FUNCTION(library, name) NZ_LATE_FUNCTION_AS(library, name)
#define NZ_LATE_FUNCTION_AS(library, name) \
  const LateFunction<decltype(::name)> name { library, #name }

}  // namespace nz::lab::peers
