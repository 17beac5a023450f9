#include <complex>

#include <nonzero/error.hpp>

#include "lab/peers/cusparse_complex.hpp"

namespace nz::lab::peers {

std::vector<std::string> cusparse_complex_names() { return {}; }
std::string cusparse_complex_version() { return {}; }

template <ComplexValue T>
std::unique_ptr<ComplexPeer> cusparse_complex(std::string_view, Device,
                                              const CsrView<T, std::int32_t>&,
                                              std::span<const std::int32_t>, Op, const T*, T*) {
  throw NoResource("this build has no cuSPARSE");
}

template std::unique_ptr<ComplexPeer> cusparse_complex(
    std::string_view, Device, const CsrView<std::complex<float>, std::int32_t>&,
    std::span<const std::int32_t>, Op, const std::complex<float>*, std::complex<float>*);
template std::unique_ptr<ComplexPeer> cusparse_complex(
    std::string_view, Device, const CsrView<std::complex<double>, std::int32_t>&,
    std::span<const std::int32_t>, Op, const std::complex<double>*, std::complex<double>*);

}  // namespace nz::lab::peers
