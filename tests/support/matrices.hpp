#pragma once

// Small files whose numbers can be checked by hand.
namespace nz::test {

//  1  2  .  .
//  .  .  .  .
//  .  3 -4  5
inline constexpr const char* small_mtx =
    "%%MatrixMarket matrix coordinate real general\n"
    "3 4 5\n1 1 1\n1 2 2\n3 2 3\n3 3 -4\n3 4 5\n";

//  2 -1  .
// -1  2 -1
//  . -1  2
inline constexpr const char* symmetric_mtx =
    "%%MatrixMarket matrix coordinate integer symmetric\n"
    "3 3 5\n1 1 2\n2 1 -1\n2 2 2\n3 2 -1\n3 3 2\n";

}  // namespace nz::test
