// What every reader and writer of this folder throws. The message names the file, what was expected and what
// was found, and fits one line once control characters are escaped.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace keysieve::io {

class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// "PATH: expected EXPECTED, found FOUND"
[[noreturn]] void throw_file_error(std::string_view path, std::string_view expected, std::string_view found);

// "PATH: cannot VERB: <text of errno>"
[[noreturn]] void throw_errno(std::string_view path, std::string_view verb, int error_number);

// Text taken out of a file, safe to print: bytes outside printable ASCII become \xNN, and what is longer than
// `limit` is cut, since a hostile header may hold a name of many megabytes.
std::string printable(std::string_view text, std::size_t limit = 80);

// printable(text) between single quotes.
std::string quote(std::string_view text, std::size_t limit = 80);

// Path as given by the user: only control characters are escaped, so that UTF-8 names stay readable.
std::string one_line(std::string_view text);

}  // namespace keysieve::io
