#pragma once
#include <memory>

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nonzero/kernel.hpp>

#include "simt/backend.hpp"
#include "simt/setup_scope.hpp"

namespace nz {

// A kernel prepared for a matrix that was looked at, with parameters that are complete: how plans,
// nz::prepare() and the bench all come to a product.
template <Value T, Offset O>
std::unique_ptr<Product<T>> make_product(const Kernel& kernel, const CsrView<T, O>& a,
                                         const Parameters& parameters, Device device) {
  const auto make =
      kernel.runs_on_device(device.kind) ? kernel.prepare_for<T, O>(device.kind) : nullptr;
  if (!make)
    throw InvalidArgument(fmt::format("{} cannot take {} values with {}-bit offsets on {}",
                                      kernel.id(), name(value_type_of<T>), 8 * sizeof(O),
                                      device.name()));
  const simt::DeviceScope scope(device);
  simt::SetupScope setup(device);
  std::unique_ptr<Product<T>> product = make(a, parameters);
  setup.finish();
  return product;
}

}  // namespace nz
