#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nonzero/device.hpp>
#include <nonzero/formats/csr.hpp>

// cuSPARSE's products of complex matrices, beside ours in `nonzero bench --complex`. The registry
// has none: peers there take real numbers.
namespace nz::lab::peers {

class ComplexPeer {
 public:
  virtual ~ComplexPeer() = default;
  // y = op(A) x, as it was made for. Queues only.
  virtual void multiply(StreamView stream) const = 0;
};

// None where this build has no cuSPARSE.
std::vector<std::string> cusparse_complex_names();
std::string cusparse_complex_version();

// cusparseSpMV by one of those, preprocessed. Matrix, x and y lie on the device; `offsets` are the
// matrix's in host memory. Throws Refused for what this version does not take.
template <ComplexValue T>
std::unique_ptr<ComplexPeer> cusparse_complex(std::string_view name, Device device,
                                              const CsrView<T, std::int32_t>& a,
                                              std::span<const std::int32_t> offsets, Op op,
                                              const T* x, T* y);

}  // namespace nz::lab::peers
