#include "plan/tuning_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "keysieve/version.hpp"
#include "plan/device_profile.hpp"

#ifndef KEYSIEVE_GIT_REVISION
#define KEYSIEVE_GIT_REVISION ""
#endif

namespace keysieve {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxFileBytes = 1 << 20;  // a thousand times what a table needs

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

std::string error_text(const char* what) { return std::string(what) + ": " + std::strerror(errno); }

// Empty, or the fault. `missing` where there is no such file.
std::string read_file(const std::string& path, std::string& text, bool& missing) {
  // Nonblocking: a pipe under that name must not hang the program that only wants to select.
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  missing = file.get() < 0 && (errno == ENOENT || errno == ENOTDIR);
  if (file.get() < 0) return error_text("cannot be opened");
  struct stat status {};
  if (fstat(file.get(), &status) != 0) return error_text("cannot be examined");
  if (!S_ISREG(status.st_mode)) return "expected a regular file";
  if (static_cast<std::size_t>(status.st_size) > kMaxFileBytes) {
    return "expected at most " + std::to_string(kMaxFileBytes) + " bytes, got " + std::to_string(status.st_size);
  }
  // One byte more than allowed: the file may grow meanwhile.
  text.resize(kMaxFileBytes + 1);
  std::size_t used = 0;
  while (used < text.size()) {
    const ssize_t got = read(file.get(), text.data() + used, text.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return error_text("cannot be read");
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
  }
  if (used > kMaxFileBytes) return "expected at most " + std::to_string(kMaxFileBytes) + " bytes, got more";
  text.resize(used);
  return {};
}

// Part of a message: a damaged file may hold anything, of any length.
std::string printable(const Json* value) {
  if (value == nullptr) return "nothing";
  if (value->is_structured()) return value->type_name();  // dump() recurses, and nesting may be as deep as the file
  std::string text = value->dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
  constexpr std::size_t kMost = 120;
  if (text.size() > kMost) text = text.substr(0, kMost) + "...";
  return text;
}

const Json* member(const Json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

std::string mismatch(const Json& object, const char* name, const Json& expected) {
  const Json* got = member(object, name);
  if (got != nullptr && *got == expected) return {};
  return std::string("key.") + name + ": expected " + printable(&expected) + ", got " + printable(got);
}

std::string key_fault(const Json& json, const TuningKey& key) {
  const Json* found = member(json, "key");
  if (found == nullptr || !found->is_object()) return "key: expected an object, got " + printable(found);
  for (const std::string& fault :
       {mismatch(*found, "library", key.library), mismatch(*found, "gpu", key.gpu),
        mismatch(*found, "compute_capability", key.compute_capability), mismatch(*found, "num_sms", key.num_sms),
        mismatch(*found, "toolkit", key.toolkit)}) {
    if (!fault.empty()) return fault;
  }
  return {};
}

std::string file_name(const TuningKey& key) {
  std::string gpu;
  for (const char c : key.gpu) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (upper) {
      gpu += static_cast<char>(c - 'A' + 'a');
    } else {
      gpu += plain ? c : '-';
    }
  }
  return "tuning-" + gpu + "-" + KEYSIEVE_VERSION_STRING + ".json";
}

}  // namespace

std::string tuning_library() { return "keysieve " KEYSIEVE_VERSION_STRING " (" KEYSIEVE_GIT_REVISION ")"; }

TuningEnvironment read_tuning_environment() {
  return {std::getenv("KEYSIEVE_TUNING_FILE"), std::getenv("XDG_CACHE_HOME"), std::getenv("HOME")};
}

std::string tuning_path(const TuningKey& key, const TuningEnvironment& environment) {
  if (environment.file != nullptr) return environment.file;
  // The XDG rule: a relative path there counts as unset.
  const auto usable = [](const char* folder) { return folder != nullptr && folder[0] == '/'; };
  if (usable(environment.cache_home)) return std::string(environment.cache_home) + "/keysieve/" + file_name(key);
  if (usable(environment.home)) return std::string(environment.home) + "/.cache/keysieve/" + file_name(key);
  return {};
}

std::string parse_tuning(std::string_view text, const TuningKey& key, CudaTuning& tuning) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return "expected a JSON object";
  const Json* schema = member(json, "schema");
  if (schema == nullptr || *schema != "keysieve.tuning/1") {
    return "schema: expected \"keysieve.tuning/1\", got " + printable(schema);
  }
  if (std::string fault = key_fault(json, key); !fault.empty()) return fault;
  const Json* values = member(json, "values");
  if (values == nullptr || !values->is_object()) return "values: expected an object, got " + printable(values);
  CudaTuning read;
  for (const TuningField& field : kTuningFields) {
    const Json* value = member(*values, field.name);
    // Unsigned numbers past the signed range would wrap into it.
    const bool whole = value != nullptr && value->is_number_integer() &&
                       !(value->is_number_unsigned() && value->get<std::uint64_t>() > std::uint64_t{kNeverColumns});
    if (!whole) {
      return std::string("values.") + field.name + ": expected a whole number in " + std::to_string(field.low) + ".." +
             std::to_string(field.high) + ", got " + printable(value);
    }
    read.*field.value = value->get<std::int64_t>();
  }
  if (std::string fault = tuning_fault(read); !fault.empty()) return "values." + fault;
  tuning = read;
  return {};
}

LoadedTuning load_tuning(const TuningKey& key, const TuningEnvironment& environment) {
  LoadedTuning loaded;
  loaded.key = key;
  if (const BuiltInTuning* table = find_built_in_tuning(key.gpu, key.compute_capability, key.num_sms)) {
    loaded.tuning = table->tuning;
    loaded.source = std::string("built-in ") + table->name;
  }
  const std::string path = tuning_path(key, environment);
  if (path.empty()) return loaded;
  try {
    std::string text;
    bool missing = false;
    std::string problem = read_file(path, text, missing);
    if (missing && environment.file == nullptr) return loaded;  // nobody has tuned here, nor said that they had
    loaded.path = path;
    if (problem.empty()) problem = parse_tuning(text, key, loaded.tuning);
    loaded.problem = problem;
    if (problem.empty()) loaded.source = "file";
  } catch (const std::exception& error) {
    loaded.problem = std::string("cannot be used: ") + error.what();
  }
  return loaded;
}

}  // namespace keysieve
