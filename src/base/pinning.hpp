#pragma once

// What pin_threads() leaves behind for parallel(). A runtime may end the threads of a team and
// start new ones, which inherit the one processor of the caller: so each thread binds itself when
// it enters a team, which costs nothing when it is bound already.
namespace nz {

struct Pins;

// Of the teams that the calling thread starts; null unless it has called pin_threads().
const Pins* team_pins();

// Binds the calling thread as number `thread` of such a team. False when the system refuses.
bool bind_to(const Pins& pins, int thread);

}  // namespace nz
