#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nonzero/kernel.hpp>

// Options that are lists: "N,T", "1,2,4", "cpu/csr/*,peer/*"; and numbers. All throw
// InvalidArgument, naming the option.
namespace nz::cli {

// The parts between commas, none of them empty.
std::vector<std::string> split_list(const std::string& text, std::string_view option);

std::vector<std::int64_t> parse_numbers(const std::string& text, std::string_view option);

// A number as people write it: "-0.5", "1e-3". What no double holds ("1e999") is refused; "inf" and
// "nan", typed out, are numbers where `finite` does not forbid them.
double parse_real(std::string_view text, std::string_view option, bool finite = true);

// "500000", "800k", "20M", "1.5GiB": powers of 1024.
std::uint64_t parse_bytes(std::string_view text, std::string_view option);

std::vector<int> parse_threads(const std::string& text);
// Numbers of vectors, each once.
std::vector<int> parse_vectors(const std::string& text);
// "rows", "columns" or both.
std::vector<Layout> parse_layouts(const std::string& text);
std::vector<Op> parse_ops(const std::string& text);
std::vector<ValueType> parse_types(const std::string& text);

// Kernels that run on the device, match one of `wanted` ("": all) and none of `without`, in the
// order of the registry. A pattern of `wanted` that matches nothing is an error with the nearest
// names.
std::vector<const Kernel*> parse_kernels(const std::string& wanted, const std::string& without,
                                         Device device = cpu_device);

// "name=VALUES" of --param options: VALUES are numbers between commas.
std::map<std::string, std::vector<std::int64_t>> parse_parameters(
    const std::vector<std::string>& options);

}  // namespace nz::cli
