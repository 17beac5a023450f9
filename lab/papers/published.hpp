#pragma once
#include <nonzero/device.hpp>

#include "lab/papers/comparison.hpp"

// What the maker publishes of a GPU and its driver does not tell. What is not known here is
// no_figure, 0 or "".
namespace nz::lab {

struct PublishedPeaks {
  double memory = no_figure;                  // bytes a second
  double fp32 = no_figure, fp64 = no_figure;  // operations a second, without tensor cores
};
// By the name of the GPU, from its data sheet.
PublishedPeaks published_peaks(const DeviceInfo& device);

struct PublishedProcessor {
  const char* architecture = "";
  int fp32 = 0, fp64 = 0;  // cores
  int l1_kib = 0;          // L1 and shared memory together
  int l1_line = 0;         // bytes
};
// Of a multiprocessor, by compute capability, from the tables of the CUDA programming guide.
PublishedProcessor published_processor(const DeviceInfo& device);

}  // namespace nz::lab
