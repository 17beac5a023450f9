#pragma once
#include <cstdint>
#include <string_view>

#include <nonzero/generate.hpp>

// How a family reads its settings.
namespace nz {

inline constexpr double max_index = 2147483647;        // of index_t
inline constexpr double max_count = 9007199254740992;  // 2^53, the whole numbers a double holds

inline constexpr Setting seed_setting{"seed", "another matrix of the same kind", 1, 0, max_count};

// The setting as a whole number. Throws InvalidArgument when it has a fraction.
std::int64_t whole(const Settings& all, std::string_view name);
index_t whole_index(const Settings& all, std::string_view name);
double real(const Settings& all, std::string_view name);
std::uint64_t seed_of(const Settings& all);

// Throws InvalidArgument when a product of settings passes what index_t counts.
index_t index_product(std::string_view what, std::int64_t a, std::int64_t b, std::int64_t c = 1);

}  // namespace nz
