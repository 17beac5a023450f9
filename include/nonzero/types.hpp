#pragma once
#include <concepts>
#include <cstdint>
#include <string_view>

#include <nonzero/export.hpp>

namespace NZ_API nz {

// Rows and columns are counted in 32 bits; nonzeros in the offset type of the matrix.
using index_t = std::int32_t;

template <class T>
concept Value = std::same_as<T, float> || std::same_as<T, double>;

template <class O>
concept Offset = std::same_as<O, std::int32_t> || std::same_as<O, std::int64_t>;

// op(A) = A or its transpose.
enum class Op : char { none = 'N', transpose = 'T' };
inline constexpr Op all_ops[] = {Op::none, Op::transpose};

constexpr std::string_view name(Op op) { return op == Op::none ? "N" : "T"; }

enum class ValueType : char { f32, f64 };
inline constexpr ValueType all_value_types[] = {ValueType::f32, ValueType::f64};

constexpr std::string_view name(ValueType t) { return t == ValueType::f32 ? "f32" : "f64"; }

template <Value T>
inline constexpr ValueType value_type_of = std::same_as<T, float> ? ValueType::f32 : ValueType::f64;

}  // namespace nz
