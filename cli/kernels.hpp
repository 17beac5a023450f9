#pragma once
#include <string>
#include <vector>

#include <nonzero/kernel.hpp>

namespace nz::cli {

// Of the library: not a peer, nor a plan as a row of the bench.
bool is_own(const Kernel& k);
// Whether a plan may choose it.
bool is_planned(const Kernel& k);

// Kernels by pattern; a word without * or ? also finds the ids it is a part of, of plans only when
// it begins as they do; "" finds all of our own.
std::vector<const Kernel*> select_kernels(const std::string& pattern);

// Leaves those whose source, which is "own", a paper, a publication or a library, has one of these
// texts between commas in it, in capitals or not. Throws InvalidArgument for a text that no kernel
// of the registry has, and when that leaves none.
void keep_sources(std::vector<const Kernel*>& found, const std::string& texts);

// Those that run on the device. Throws InvalidArgument, saying where they do run, when that leaves
// none of what a pattern found.
std::vector<const Kernel*> only_on(Device device, std::vector<const Kernel*> found,
                                   const std::string& pattern);

// Where a kernel shall run: as --device says, or at home. Throws NoResource where home is a GPU and
// there is none.
Device device_for(const Kernel& k, const std::string& wanted);

// Where a kernel runs, for people and programs: "cpu", "cuda", "emu".
std::vector<std::string> places_of(const Kernel& k);

}  // namespace nz::cli
