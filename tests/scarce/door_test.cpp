#include "scarce/door_checks.hpp"

namespace nz::test {
namespace {

TEST(ScarceThreads, TheDoorMakesDo) { check_door(); }

}  // namespace
}  // namespace nz::test
