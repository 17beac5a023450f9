#include "plan/door.hpp"

#include <algorithm>

#include <nonzero/error.hpp>
#include <nonzero/threads.hpp>

#include "base/instantiate.hpp"
#include "formats/assemble.hpp"
#include "formats/inspect.hpp"
#include "device/csr.hpp"
#include "device/inspect_csr.hpp"
#include "plan/features.hpp"
#include "plan/selection.hpp"

namespace nz {
namespace {

constexpr std::string_view sorted_note =
    "rows were not sorted or had duplicates: a copy was put in order";
constexpr std::string_view slice_note = "a slice: its offsets were copied, to begin with 0";

CsrFindings findings_on(Device device, const CsrToInspect& a, FetchedAlong* along) {
  const simt::DeviceScope scope(device);
#ifdef NZ_HAVE_EMULATOR
  if (device.kind == Device::Kind::emulator) return emulated::inspect_csr(a, along);
#endif
#ifdef NZ_HAVE_CUDA
  if (device.kind == Device::Kind::cuda) return cuda::inspect_csr(a, along);
#endif
  (void)a, (void)along;
  throw NoResource("no look at matrices on " + device.name());
}

void rebase_on(Device device, const CsrToInspect& a, std::int64_t first, void* to) {
  const simt::DeviceScope scope(device);
#ifdef NZ_HAVE_EMULATOR
  if (device.kind == Device::Kind::emulator) return emulated::rebase_offsets(a, first, to);
#endif
#ifdef NZ_HAVE_CUDA
  if (device.kind == Device::Kind::cuda) return cuda::rebase_offsets(a, first, to);
#endif
  (void)a, (void)first, (void)to;
}

template <Value T, Offset O>
CsrToInspect task(const CsrView<T, O>& a) {
  return {a.offsets, sizeof(O), a.columns, a.rows, a.nnz, a.cols};
}

template <class E>
E fetched(Device device, const E* from) {
  E e;
  detail::device_copy(device, &e, from, sizeof e, {});
  return e;
}

// Throws InvalidArgument with the first offset that is below the one before it; there is one.
template <Offset O>
[[noreturn]] void tell_bad_offset(std::span<const O> offsets) {
  const auto i = std::is_sorted_until(offsets.begin(), offsets.end()) - offsets.begin() - 1;
  const auto at = static_cast<std::size_t>(i);
  throw_bad_offset(i, offsets[at], offsets[at + 1]);
}

// Throws InvalidArgument with the first column of the matrix that is out of range; there is one.
template <Value T, Offset O>
[[noreturn]] void tell_bad_column(Device device, const CsrView<T, O>& a,
                                  std::span<const O> offsets) {
  Array<index_t> columns(static_cast<std::size_t>(a.nnz));
  detail::device_copy(device, columns.data(), a.columns + offsets[0],
                      columns.size() * sizeof(index_t), {});
  const auto bad =
      std::find_if(columns.begin(), columns.end(), [&](index_t c) { return c < 0 || c >= a.cols; });
  const auto k = static_cast<O>(offsets[0] + (bad - columns.begin()));
  const auto row = std::upper_bound(offsets.begin(), offsets.end(), k) - 1;
  throw_bad_column(row - offsets.begin(), k, *bad, a.cols);
}

// inspect() of a matrix in the device's memory, by the device; the host finds the place of an
// error. With `start`, that is fetched too.
template <Value T, Offset O>
CsrOrder inspect_on(Device device, const CsrView<T, O>& a, LookStart* start) {
  CsrFindings f;
  if (start) {
    const bool samples = takes_samples(a.nnz, device);
    const auto ranges = samples ? offsets_for_look(a) : std::vector<FetchRange>{};
    FetchedAlong along{.ranges = ranges};
    if (samples) along.entries = entries_for_look(a);
    f = findings_on(device, task(a), &along);
    start->take(along);
  } else {
    f = findings_on(device, task(a), nullptr);
  }
  if (f.bad_offsets) tell_bad_offset(host_offsets(device, a).span());
  check_ends(a.rows, f.first, f.last, a.nnz);
  if (f.bad_columns) tell_bad_column(device, a, host_offsets(device, a).span());
  return {.from_zero = f.first == 0, .rising = f.rising};
}

// The slice's columns and values begin where its first row does; its offsets are still as they
// were.
template <Value T, Offset O>
CsrView<T, O> advanced(CsrView<T, O> a, O first) {
  if (a.nnz == 0) return a;
  a.columns += first;
  a.values += first;
  return a;
}

template <Value T, Offset O>
Array<O> rebased(const CsrView<T, O>& a, O first) {
  Array<O> offsets(std::span(a.offsets, static_cast<std::size_t>(a.rows) + 1));
  for (O& o : offsets) o -= first;
  return offsets;
}

template <Value T, Offset O>
Admitted<T, O> slice(Device device, const CsrView<T, O>& a, O first, bool there) {
  Admitted<T, O> to{.view = advanced(a, first), .note = slice_note};
  if (there) {
    auto offsets = std::make_shared<DeviceArray<O>>(device, static_cast<std::size_t>(a.rows) + 1);
    rebase_on(device, task(a), first, offsets->data());
    wait_for(device);  // products may run on other streams
    to.view.offsets = offsets->data();
    to.owner = std::move(offsets);
  } else {
    auto offsets = std::make_shared<Array<O>>(rebased(a, first));
    to.view.offsets = offsets->data();
    to.owner = std::move(offsets);
  }
  to.bytes = (static_cast<std::size_t>(a.rows) + 1) * sizeof(O);
  return to;
}

// Of a matrix in host memory, advanced.
template <Value T, Offset O>
Admitted<T, O> in_order(const CsrView<T, O>& a, O first) {
  const auto nnz = static_cast<std::size_t>(a.nnz);
  auto own = std::make_shared<Csr<T, O>>(Csr<T, O>{a.rows, a.cols, rebased(a, first),
                                                   Array<index_t>(std::span(a.columns, nnz)),
                                                   Array<T>(std::span(a.values, nnz))});
  sort_rows_and_sum(*own);
  return {.view = own->view(),
          .owner = own,
          .bytes = own->bytes(),
          .in_place = false,
          .note = sorted_note};
}

}  // namespace

template <Value T, Offset O>
Admitted<T, O> admit(Device device, const CsrView<T, O>& a, Input input, bool looks) {
  if (input == Input::trusted) return {.view = a};
  check_view(a);
  const ThreadScope team(product_threads(device, shape_features(a)));
  const bool there = device != cpu_device && lies_on(device, a);
  const auto start = there && looks ? std::make_shared<LookStart>() : nullptr;
  const CsrOrder order = there ? inspect_on(device, a, start.get()) : inspect(a);
  if (order.from_zero && order.rising) return {.view = a, .start = start};
  const O first = there ? fetched(device, a.offsets) : a.offsets[0];
  if (order.rising) return slice(device, a, first, there);
  if (!there) return in_order(advanced(a, first), first);
  // Sorting is the host's: its copy goes back to the device when a product is prepared from it.
  const HostCsr<T, O> here(device, advanced(a, first));
  return in_order(here.view(), first);
}

template <Value T, Offset O>
std::string_view admit_owned(Device device, Csr<T, O>& a, Input input) {
  // Nobody has looked at its offsets yet.
  const Features sizes{.rows = a.rows, .cols = a.cols, .nnz = std::ssize(a.values)};
  const ThreadScope team(product_threads(device, sizes));
  if (input == Input::trusted || settle(a).rising) return {};
  return sorted_note;
}

#define NZ_INSTANTIATE(T, O)                                                \
  template Admitted<T, O> admit(Device, const CsrView<T, O>&, Input, bool); \
  template std::string_view admit_owned(Device, Csr<T, O>&, Input);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)
NZ_FOR_EACH_COMPLEX_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
