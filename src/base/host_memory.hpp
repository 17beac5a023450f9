#pragma once

namespace nz {

// What the machine has free for this process, in bytes: of its memory, and of what a control group
// grants. 0 when nobody says.
double free_host_bytes();

// All of its memory, whoever has it; 0 when nobody says.
double all_host_bytes();

}  // namespace nz
