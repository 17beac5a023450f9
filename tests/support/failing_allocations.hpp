#pragma once

namespace nz::test {

// While it lives, the allocation by operator new after the next `after` ones fails, on whatever
// thread, as if memory were short; the others do not. failing_allocations.cpp must be part of the
// program: it replaces operator new.
class FailingAllocation {
 public:
  explicit FailingAllocation(long after);
  ~FailingAllocation();
  FailingAllocation(const FailingAllocation&) = delete;
  FailingAllocation& operator=(const FailingAllocation&) = delete;
  // Whether it has failed by now.
  bool met() const;
};

// All that is allocated by operator new and not given back yet.
long live_host_allocations();

}  // namespace nz::test
