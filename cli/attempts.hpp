#pragma once
#include <exception>

namespace nz::cli {

// Several things that shall all be tried, such as files to write: the first failure is told when
// all is done.
class Attempts {
 public:
  // Whether it worked.
  template <class Work>
  bool attempt(Work&& work) {
    try {
      work();
      return true;
    } catch (...) {
      if (!failure_) failure_ = std::current_exception();
      return false;
    }
  }
  bool failed() const { return failure_ != nullptr; }
  // Throws the first failure, if there was one.
  void finish() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::exception_ptr failure_;
};

}  // namespace nz::cli
