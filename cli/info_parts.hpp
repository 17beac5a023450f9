#pragma once
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>
#include <nonzero/io.hpp>

#include "cli/session.hpp"
#include "lab/bench/statistics.hpp"

// What `info` tells of matrices of real and of complex numbers alike.
namespace nz::cli {

void tell_name(const Session& session, const std::string& name);
void tell(const Session& session, const char* label, const std::string& text);

// How many nonzeros rows or columns have; one and several of what is empty have these names.
std::string lengths_text(const lab::Lengths& s, const char* empty_one, const char* empty_many);

// What a file said of itself, for people and for programs; `expanded` is said of one whose symmetry
// was written out.
std::string file_text(const FileInfo& f, std::string_view expanded = "");
nlohmann::ordered_json describe(const FileInfo& f);

}  // namespace nz::cli
