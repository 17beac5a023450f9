// Compiled without OpenMP: the same by std::thread.
#include "scarce/door_checks.hpp"

#ifdef _OPENMP
#error "to be compiled without OpenMP"
#endif

namespace nz::test {
namespace {

TEST(ScarceThreads, TheDoorMakesDoWithoutOpenMP) { check_door(); }

}  // namespace
}  // namespace nz::test
