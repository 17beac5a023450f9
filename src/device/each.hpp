#pragma once
#include <cstdint>

#include "simt/launch_sizes.hpp"

// The same for each of n items, as most steps of conversions are: what is done for one is a
// trivially copyable struct with a name and
//   NZ_DEVICE void operator()(Thread& t, std::int64_t i) const
namespace nz::NZ_HOME {

template <class Item>
struct ForEach {
  static constexpr const char* name = Item::name;
  std::int64_t n;
  Item item;
  NZ_DEVICE void operator()(Thread& t) const {
    for (std::int64_t i = t.global_index(); i < n; i += t.global_size()) item(t, i);
  }
};

// Queues on the default stream: a thread an item, or several where there are more than so many
// blocks have.
template <class Item>
void for_each(std::int64_t n, const Item& item, std::int64_t most_blocks = 1 << 16) {
  launch(one_thread_each(n, most_blocks), ForEach<Item>{n, item});
}

}  // namespace nz::NZ_HOME
