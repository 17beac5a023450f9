#include "kernels/gpu/hub_columns.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include <nonzero/error.hpp>

#include "kernels/gpu/gpu_product.hpp"
#include "kernels/gpu/sort_scan.hpp"

namespace nz::NZ_HOME {
namespace {

// Enough to know columns of some hundred entries from others.
constexpr std::int64_t most_counted = 1 << 23;

struct CountColumns {
  static constexpr const char* name = "count entries of columns";
  const index_t* columns;
  std::int64_t nnz, step;
  unsigned* counts;
  NZ_DEVICE void operator()(Thread& t) const {
    for (std::int64_t k = t.global_index() * step; k < nnz; k += t.global_size() * step)
      t.atomic_add(counts + t.load(columns + k), 1u);
  }
};

// Columns by their counts: four classes each time it doubles, from `fewest` on; -1 below.
constexpr int classes = 64;
NZ_DEVICE int class_of(unsigned count, unsigned fewest) {
  if (count < fewest) return -1;
  unsigned quarters = static_cast<unsigned>(std::uint64_t{4} * count / fewest);
  int doubled = 0;
  for (; quarters >= 8; quarters /= 2) ++doubled;
  const int all = 4 * doubled + static_cast<int>(quarters) - 4;
  return all < classes ? all : classes - 1;
}
struct ClassSize {
  unsigned columns, entries;
};
struct SizeClasses {
  static constexpr const char* name = "count columns of a class";
  const unsigned* counts;
  index_t cols;
  unsigned fewest;
  ClassSize* sizes;
  NZ_DEVICE void operator()(Thread& t) const {
    for (std::int64_t c = t.global_index(); c < cols; c += t.global_size()) {
      const unsigned count = t.load(counts + c);
      const int its = class_of(count, fewest);
      if (its < 0) continue;
      t.atomic_add(&sizes[its].columns, 1u);
      t.atomic_add(&sizes[its].entries, count);
    }
  }
};

struct MarkHubs {
  static constexpr const char* name = "mark hubs";
  const unsigned* counts;
  index_t cols;
  unsigned fewest;
  int from;  // class
  std::int64_t* marks;
  NZ_DEVICE void operator()(Thread& t) const {
    for (std::int64_t c = t.global_index(); c < cols; c += t.global_size())
      marks[c] = class_of(t.load(counts + c), fewest) >= from;
  }
};
struct ListHubs {
  static constexpr const char* name = "list hubs";
  const unsigned* counts;
  const std::int64_t* before;
  index_t cols;
  unsigned fewest;
  int from, hubs;
  index_t* list;
  index_t* number;  // of a column
  NZ_DEVICE void operator()(Thread& t) const {
    for (std::int64_t c = t.global_index(); c < cols; c += t.global_size()) {
      const bool hub = class_of(t.load(counts + c), fewest) >= from;
      const auto place = static_cast<index_t>(before[c]);
      if (hub) list[place] = static_cast<index_t>(c);
      number[c] = hub ? place : static_cast<index_t>(hubs + c);
    }
  }
};
struct NumberColumns {
  static constexpr const char* name = "number columns by hubs";
  const index_t* columns;
  const index_t* number;
  std::int64_t nnz;
  index_t* numbers;
  NZ_DEVICE void operator()(Thread& t) const {
    for (std::int64_t k = t.global_index(); k < nnz; k += t.global_size())
      t.store_streaming(numbers + k, t.load(number + t.load_streaming(columns + k)));
  }
};

template <class V>
DeviceArray<V> zeros(Device device, std::size_t n) {
  DeviceArray<V> all(device, n);
  const auto words = static_cast<std::int64_t>(n * sizeof(V) / sizeof(float));
  static_assert(sizeof(V) % sizeof(float) == 0);
  scale(nullptr, 0.0F, reinterpret_cast<float*>(all.data()), words);
  return all;
}

}  // namespace

HubColumns hub_columns(const index_t* columns, std::int64_t nnz, index_t cols, std::int64_t fewest,
                       int most) {
  const Device device = current_device();
  HubColumns h;
  if (nnz == 0) return h;
  if (cols > std::numeric_limits<index_t>::max() - most)
    throw Refused("compact with hubs: more columns than can be numbered");
  const std::int64_t step = nnz / most_counted + 1;
  const auto few = static_cast<unsigned>(std::max<std::int64_t>(1, fewest / step));
  auto counts = zeros<unsigned>(device, static_cast<std::size_t>(cols));
  auto sizes = zeros<ClassSize>(device, classes);
  launch(over((nnz + step - 1) / step, 1 << 14), CountColumns{columns, nnz, step, counts.data()});
  launch(over(cols, 1 << 12), SizeClasses{counts.data(), cols, few, sizes.data()});
  std::vector<ClassSize> size(classes);
  sizes.download(size);
  int from = classes, hubs = 0;
  double entries = 0;
  while (from > 0 && hubs + static_cast<std::int64_t>(size[from - 1].columns) <= most) {
    --from;
    hubs += static_cast<int>(size[from].columns);
    entries += size[from].entries;
  }
  h.share = entries * static_cast<double>(step) / static_cast<double>(nnz);
  h.list = {device, static_cast<std::size_t>(hubs)};
  h.numbers = {device, static_cast<std::size_t>(nnz)};
  DeviceArray<std::int64_t> before(device, static_cast<std::size_t>(cols));
  DeviceArray<index_t> number(device, static_cast<std::size_t>(cols));
  launch(over(cols, 1 << 14), MarkHubs{counts.data(), cols, few, from, before.data()});
  sum_before(cols, before.data(), before.data());
  launch(over(cols, 1 << 14), ListHubs{counts.data(), before.data(), cols, few, from, hubs,
                                       h.list.data(), number.data()});
  launch(over(nnz, 1 << 16), NumberColumns{columns, number.data(), nnz, h.numbers.data()});
  wait_for(device);
  return h;
}

}  // namespace nz::NZ_HOME
