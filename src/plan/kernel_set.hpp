#pragma once
#include <deque>
#include <string_view>
#include <vector>

#include <nonzero/kernel.hpp>

namespace nz {

// Kernels by their ids; <nonzero/registry.hpp> is one of them, for the whole program.
class KernelSet {
 public:
  KernelSet() = default;
  explicit KernelSet(std::deque<Kernel> kernels) : all_(std::move(kernels)) {}

  const std::deque<Kernel>& all() const { return all_; }
  void add(std::vector<Kernel> more);  // all of them or, with InvalidArgument, none
  const Kernel& find(std::string_view id) const;
  std::vector<const Kernel*> match(std::string_view pattern) const;

 private:
  // A deque, so that entries stay where they are when others are added.
  std::deque<Kernel> all_;
};

}  // namespace nz
