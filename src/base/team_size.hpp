#pragma once

namespace nz {

// How many threads an OpenMP region may ask for. The runtime ends the process where it cannot
// create a thread, so before a team that is larger than the last one of this host thread, whose
// threads the runtime keeps, as many are created and ended again; what cannot be had is not asked
// for. An object lives as long as the region that it was made for.
class TeamSize {
 public:
  explicit TeamSize(int wanted);
  ~TeamSize();
  TeamSize(const TeamSize&) = delete;
  TeamSize& operator=(const TeamSize&) = delete;
  int size() const { return size_; }

 private:
  int size_;
};

}  // namespace nz
