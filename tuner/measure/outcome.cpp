#include "tuner/measure/outcome.hpp"

#include <CL/opencl.hpp>
#include <array>
#include <clgauss/error.hpp>

namespace clgauss::tune {

namespace {

struct StatusWords {
  Status status;
  std::string_view name, invalidity;
};

constexpr std::array<StatusWords, 7> kStatusWords{
    {{Status::ok, "ok", "correct"},
     {Status::constraint, "constraint", "constraints"},
     {Status::build_error, "build_error", "compile"},
     {Status::device_limit, "device_limit", "runtime"},
     {Status::launch_error, "launch_error", "runtime"},
     {Status::wrong_result, "wrong_result", "correctness"},
     {Status::timeout, "timeout", "timeout"}}};

const StatusWords& words_of(Status status) {
  for (const StatusWords& words : kStatusWords)
    if (words.status == status) return words;
  return kStatusWords.front();
}

/// Codes after which the device, not the configuration, is at fault.
bool lost_device(int code) {
  return code == CL_DEVICE_NOT_AVAILABLE || code == CL_DEVICE_NOT_FOUND;
}

Outcome from_opencl(const OpenClError& error) {
  if (lost_device(error.code())) throw error;
  return {Status::launch_error, error.what(), {}};
}

}  // namespace

std::string_view status_name(Status status) { return words_of(status).name; }

std::optional<Status> parse_status(std::string_view name) {
  for (const StatusWords& words : kStatusWords)
    if (words.name == name) return words.status;
  return std::nullopt;
}

std::string_view t4_invalidity(Status status) { return words_of(status).invalidity; }

Outcome guarded(const std::function<Outcome()>& measure) {
  try {
    return measure();
  } catch (const BuildError& error) {
    return {Status::build_error, error.what(), {}};
  } catch (const WrongAnswer& error) {
    return {Status::wrong_result, error.what(), {}};
  } catch (const DeviceLimit& error) {
    return {Status::device_limit, error.what(), {}};
  } catch (const OutOfMemory& error) {
    return {Status::device_limit, error.what(), {}};
  } catch (const OpenClError& error) {
    return from_opencl(error);
  } catch (const cl::Error& error) {
    return from_opencl(OpenClError(error.what(), error.err()));
  }
}

}  // namespace clgauss::tune
