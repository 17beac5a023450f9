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
  // One that the program is linked with. Where a newer one is put in its place, it has functions
  // that the header of the build does not know.
  explicit LateLibrary(const char* linked) : name_(linked) {}

  // Throws NoResource when the library or the function is not there.
  void* find(const char* function) {
    void* const address = look(function);
    if (!address) throw NoResource(fmt::format("{} has no {}", name_, function));
    return address;
  }
  // Throws NoResource when the library is not there.
  bool has(const char* function) { return look(function) != nullptr; }

 private:
  void* look(const char* function) {
    std::call_once(once_, [&] {
      // Without a path: the program itself, and with it all that it is linked with.
      handle_ = dlopen(path_ ? name_ : nullptr, RTLD_NOW | RTLD_LOCAL);
      if (!handle_ && path_) handle_ = dlopen(path_, RTLD_NOW | RTLD_LOCAL);
      if (const char* why = handle_ ? nullptr : dlerror()) why_ = why;
    });
    if (!handle_)
      throw NoResource(
          fmt::format("cannot load {} (or {}): {}", name_, path_ ? path_ : "the program", why_));
    return dlsym(handle_, function);
  }

  const char* name_;
  const char* path_ = nullptr;
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
  // Throws NoResource when the library is not there.
  bool is_there() const { return library_.has(name_); }
  const char* name() const { return name_; }

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
