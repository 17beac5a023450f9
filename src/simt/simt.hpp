#pragma once

// The language GPU kernels are written in. A kernel is a trivially copyable struct with
//   static constexpr const char* name         for error messages
//   NZ_DEVICE void operator()(Thread& t) const
// and where wanted `static constexpr int max_threads, min_blocks` or `bool unbounded` (launch
// bounds). launch() runs it. The same source has two homes: nvcc compiles it into namespace
// nz::cuda for the GPU, the host compiler into nz::emulated for the emulator, which finds its
// mistakes. So kernel files write `namespace nz::NZ_HOME`.
//
// What a Thread can do, in both homes:
//   index() block_size() block() grid_size()    within the block; blocks in the grid
//   global_index() global_size()                over the whole grid, 64 bits
//   lane() warp() warps()                       a warp is 32 threads; blocks are whole warps
//   shared<V>(n)          the next n elements of the block's dynamic shared memory, indexed with
//                         [i], n at once with pack<n>(i); all threads ask in the same order;
//                         contents start undefined
//   sync()                barrier of the block: every thread must get there, none may have left
//   sync_warp()           the same for the warp, ordering its shared memory
//   shuffle(v, lane) shuffle_up(v, d) shuffle_down(v, d) shuffle_xor(v, m), each with a width of 1
//                         to 32: all 32 lanes take part. Up and down beyond the end: v itself
//   ballot(p) any(p) all(p)                     likewise
//   atomic_add(p, v)      in global memory, returns what was there; atomic_add(s, i, v) in shared
//   load(p)               through the read-only cache; nothing may write it during the kernel
//   load_streaming(p)     the same for what is read once: evicted first
//   load_in_order(p)      the same, on the side of order_loads() on which it is written
//   order_loads()         streaming loads and those in order before it are asked for before those
//                         after it: without it the compiler spreads a batch of loads over the
//                         instructions that need them, and a thread waits for each
//   load_coherent(p)      sees what other blocks wrote before a fence
//   store_streaming(p, v) for what is not read again soon
//   copy_async<n>(s, i, p)  n elements, 4, 8 or 16 bytes in all and aligned so, from global memory
//   at
//                         p to shared s[i]..., while the thread goes on; of 16 bytes past the L1
//   commit_copies()       what this thread has begun to copy since the last one is a group
//   wait_copies<k>()      until all of its groups but the last k are there; then a barrier before
//                         other threads read them
//   fence()               writes before it are seen by all before writes after it
//   pause()               in loops that wait for another block
// Loads and stores take elements of 1, 2, 4, 8 and 16 bytes; Pack<V, n> makes larger ones of small
// ones, aligned as a whole. Complex numbers (base/complex.hpp) are elements too, at multiples of
// their size; shuffles and atomics take their parts one after the other. NZ_UNROLL before a loop
// unrolls it, NZ_UNROLL_BY(n) n times, NZ_ROLLED keeps it as it is. bit_count(u) is free; what
// <bit> has compiles for a GPU too, and is wrong there. simt/warp.hpp has what is built on these:
// sums, segmented scans.
#ifdef __CUDACC__
#define NZ_HOME cuda
#include "simt/cuda_thread.hpp"
#else
#define NZ_HOME emulated
#include "simt/emulated_thread.hpp"
#endif
