#pragma once
#include <span>

#include <nonzero/device.hpp>
#include <nonzero/epilogue.hpp>

// The door for those who are compiled for no device, a function in each home.
namespace nz {

// Queues the epilogue of a y that is finished, on the current device. Its sums take memory in the
// stream's order.
#define NZ_DECLARE_EPILOGUE(home)                                                                  \
  namespace home {                                                                                 \
  template <Value T>                                                                               \
  void queue_epilogue(Device device, CUstream_st* stream, std::span<T> y, const Epilogue<T>& end); \
  }
NZ_DECLARE_EPILOGUE(cuda)
NZ_DECLARE_EPILOGUE(emulated)
#undef NZ_DECLARE_EPILOGUE

}  // namespace nz
