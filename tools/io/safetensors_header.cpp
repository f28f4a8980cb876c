#include "io/safetensors_header.hpp"

#include <nlohmann/json.hpp>
#include <unordered_set>

#include "io/file_error.hpp"

namespace keysieve::io {

namespace {

using nlohmann::json;

constexpr std::size_t kMaxDimensions = 64;

// Where the parser stands. Each JSON value is legal in exactly one kind of place, so nesting is bounded by the
// state machine: anything deeper than [name][shape][n] has no state and is refused at once.
enum class State { kStart, kTop, kTensor, kDtype, kShape, kOffsets, kMetadata, kDone };

class Handler : public nlohmann::json_sax<json> {
 public:
  explicit Handler(std::string_view path) : path_(path) {}

  bool null() override { return refuse("null"); }
  bool boolean(bool value) override { return refuse(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return refuse(std::to_string(value)); }
  bool number_float(number_float_t, const string_t& text) override { return refuse(printable(text)); }
  bool binary(binary_t&) override { return refuse("binary data"); }

  bool number_unsigned(number_unsigned_t value) override {
    if (!in_array_) return refuse(std::to_string(value));
    if (state_ == State::kShape) {
      if (entry_.shape.size() == kMaxDimensions) fail("at most 64 dimensions", "more");
      entry_.shape.push_back(value);
      return true;
    }
    if (offsets_seen_ == 2) fail("two data_offsets", "more");
    (offsets_seen_++ == 0 ? entry_.begin : entry_.end) = value;
    return true;
  }

  bool string(string_t& value) override {
    if (state_ == State::kMetadata && have_metadata_key_) {
      have_metadata_key_ = false;
      return true;
    }
    if (state_ != State::kDtype) return refuse(std::string("string ") + quote(value));
    entry_.dtype = std::move(value);
    state_ = State::kTensor;
    return true;
  }

  bool start_object(std::size_t) override {
    if (state_ == State::kStart) {
      state_ = State::kTop;
    } else if (state_ == State::kTop && !in_metadata_) {
      state_ = State::kTensor;
      has_dtype_ = has_shape_ = has_offsets_ = false;
    } else if (state_ == State::kTop) {
      state_ = State::kMetadata;
    } else {
      return refuse("an object");
    }
    return true;
  }

  bool key(string_t& name) override {
    if (state_ == State::kTop) {
      if (!names_.insert(name).second) fail("each name once", quote(name) + " twice");
      in_metadata_ = name == "__metadata__";
      entry_ = {};
      entry_.name = std::move(name);
      return true;
    }
    if (state_ == State::kMetadata) {
      have_metadata_key_ = true;
      return true;
    }
    if (name == "dtype" && !has_dtype_) {
      has_dtype_ = true;
      state_ = State::kDtype;
    } else if (name == "shape" && !has_shape_) {
      has_shape_ = true;
      state_ = State::kShape;
    } else if (name == "data_offsets" && !has_offsets_) {
      has_offsets_ = true;
      offsets_seen_ = 0;
      state_ = State::kOffsets;
    } else {
      fail("the keys dtype, shape and data_offsets, once each", std::string("key ") + quote(name));
    }
    return true;
  }

  bool end_object() override {
    if (state_ == State::kTensor) {
      if (!has_dtype_ || !has_shape_ || !has_offsets_) {
        fail("the keys dtype, shape and data_offsets", std::string("no ") + (!has_dtype_   ? "dtype"
                                                                             : !has_shape_ ? "shape"
                                                                                           : "data_offsets"));
      }
      entries.push_back(std::move(entry_));
      state_ = State::kTop;
    } else if (state_ == State::kMetadata) {
      state_ = State::kTop;
    } else {
      state_ = State::kDone;
    }
    return true;
  }

  bool start_array(std::size_t) override {
    if ((state_ != State::kShape && state_ != State::kOffsets) || in_array_) return refuse("an array");
    in_array_ = true;
    return true;
  }

  bool end_array() override {
    in_array_ = false;
    if (state_ == State::kOffsets && offsets_seen_ != 2) fail("two data_offsets", std::to_string(offsets_seen_));
    state_ = State::kTensor;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    throw_file_error(path_, "a JSON object as .safetensors header",
                     "text that stops being JSON at its byte " + std::to_string(position));
  }

  std::vector<SafetensorsEntry> entries;

 private:
  [[noreturn]] void fail(std::string_view expected, std::string_view found) const {
    const std::string where = entry_.name.empty() ? std::string() : std::string(" in tensor ") + quote(entry_.name);
    throw_file_error(path_, std::string(expected) + where + " of the .safetensors header", found);
  }

  bool refuse(std::string_view found) const {
    switch (state_) {
      case State::kShape:
        fail("a shape of whole numbers >= 0", found);
      case State::kOffsets:
        fail("data_offsets of whole numbers >= 0", found);
      case State::kDtype:
        fail("a dtype string", found);
      case State::kMetadata:
        fail("__metadata__ of strings", found);
      default:
        fail("an object", found);
    }
  }

  std::string_view path_;
  State state_ = State::kStart;
  bool in_array_ = false;
  bool in_metadata_ = false;
  bool have_metadata_key_ = false;
  bool has_dtype_ = false;
  bool has_shape_ = false;
  bool has_offsets_ = false;
  int offsets_seen_ = 0;
  SafetensorsEntry entry_;
  std::unordered_set<std::string> names_;
};

}  // namespace

std::vector<SafetensorsEntry> parse_safetensors_header(std::string_view text, std::string_view path) {
  // The format asks for it; the JSON parser alone would let a byte order mark and blanks pass.
  if (!text.starts_with('{')) {
    throw_file_error(path, "a .safetensors header that begins with '{'",
                     text.empty() ? "an empty one" : quote(text.substr(0, 12)));
  }
  Handler handler(path);
  json::sax_parse(text, &handler);  // every failure throws from the handler
  return std::move(handler.entries);
}

}  // namespace keysieve::io
