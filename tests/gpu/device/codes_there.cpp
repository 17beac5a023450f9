#include "gpu/device/codes_there.hpp"

#include "base/instantiate.hpp"
#include "kernels/gpu/gpu_product.hpp"
#include "device/value_codes.hpp"

namespace nz::NZ_HOME {
namespace {

template <class T, ValueCode code>
struct EncodeAll {
  static constexpr const char* name = "encode values";
  std::int64_t n;
  const T* values;
  ValueLookup<T> lookup;
  Coded<T, code>* to;
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t k = t.global_index();
    if (k < n) to[k] = encode<code>(t, lookup, t.load(values + k));
  }
};

}  // namespace

template <class T>
test::CodedThere<T> codes_there(const T* values, std::int64_t n, bool shorts) {
  const ValueCodes<T> found = find_value_codes(values, n, shorts);
  test::CodedThere<T> all{found.code, found.different, std::vector<T>(found.table.size()), {}};
  found.table.download(all.table);
  for_code<T, true>(found.code, [&]<ValueCode code>() {
    if constexpr (code != ValueCode::constant) {
      DeviceArray<Coded<T, code>> to(current_device(), static_cast<std::size_t>(n));
      launch(one_thread_each(n), EncodeAll<T, code>{n, values, found.lookup(), to.data()});
      all.stored.resize(to.bytes());
      detail::device_copy(to.device(), all.stored.data(), to.data(), to.bytes(), {});
    }
  });
  return all;
}

#define NZ_INSTANTIATE(T) template test::CodedThere<T> codes_there(const T*, std::int64_t, bool);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)

}  // namespace nz::NZ_HOME
