#include "io/file_error.hpp"

#include <system_error>

namespace keysieve::io {

namespace {

void append_escaped(std::string& out, char c) {
  static constexpr char kDigits[] = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  out += "\\x";
  out += kDigits[byte >> 4];
  out += kDigits[byte & 15];
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

}  // namespace

void throw_file_error(std::string_view path, std::string_view expected, std::string_view found) {
  std::string message(path);
  message.append(": expected ").append(expected).append(", found ").append(found);
  throw FileError(message);
}

void throw_errno(std::string_view path, std::string_view verb, int error_number) {
  std::string message(path);
  message.append(": cannot ").append(verb).append(": ").append(std::generic_category().message(error_number));
  throw FileError(message);
}

std::string printable(std::string_view text, std::size_t limit) {
  std::string out;
  for (const char c : text.substr(0, limit)) {
    if (is_control(c) || static_cast<unsigned char>(c) >= 0x80) {
      append_escaped(out, c);
    } else {
      out += c;
    }
  }
  if (text.size() > limit) out += "...";
  return out;
}

std::string quote(std::string_view text, std::size_t limit) {
  std::string out = "'";
  out += printable(text, limit);
  out += '\'';
  return out;
}

std::string one_line(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (is_control(c)) {
      append_escaped(out, c);
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace keysieve::io
