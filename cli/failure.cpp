#include "cli/failure.hpp"

#include <filesystem>
#include <new>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <nonzero/error.hpp>

namespace nz::cli {
namespace {

// "[json.exception.parse_error.101] parse error at line 1": whose exception it is helps nobody.
void take_names_out(std::string& what) {
  for (auto at = what.find("[json.exception."); at != what.npos;
       at = what.find("[json.exception.", at)) {
    const auto end = what.find("] ", at);
    what.erase(at, end == what.npos ? end : end + 2 - at);
  }
}

Failure failed(Exit code, std::string what) {
  take_names_out(what);
  for (char& c : what)
    if (c == '\n' || c == '\r') c = ' ';
  return {code, std::move(what)};
}

bool lacks_resources(const std::error_code& code) {
  return code == std::errc::resource_unavailable_try_again ||
         code == std::errc::not_enough_memory || code == std::errc::too_many_files_open;
}

}  // namespace

Failure failure_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const InvalidArgument& e) {
    return failed(usage, e.what());
  } catch (const NoResource& e) {
    return failed(no_resource, e.what());
  } catch (const DeviceFault& e) {
    return failed(device_fault, e.what());
  } catch (const Error& e) {
    return failed(bad_input, e.what());
  } catch (const std::bad_alloc&) {
    return failed(no_resource, "not enough memory");
  } catch (const std::filesystem::filesystem_error& e) {
    return failed(bad_input, e.path1().empty()
                                 ? e.code().message()
                                 : fmt::format("{}: {}", e.path1().string(), e.code().message()));
  } catch (const std::system_error& e) {  // of threads and files
    return failed(lacks_resources(e.code()) ? no_resource : bad_input, e.code().message());
  } catch (const nlohmann::json::exception& e) {  // a file that is not what it should be
    return failed(bad_input, fmt::format("not the JSON that was expected: {}", e.what()));
  } catch (const std::exception& e) {
    return failed(unexpected, fmt::format("unexpected: {}", e.what()));
  } catch (...) {
    return failed(unexpected, "unexpected: an exception of no known kind");
  }
}

}  // namespace nz::cli
