// What reaches the user: results on stdout, whole or as an error; one line a message on stderr.
#pragma once

#include <string_view>

namespace keysieve::cli {

// 1 is a fault that the command was asked to look for; 2 is a call that could not be served.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFault = 1;
inline constexpr int kExitBadInput = 2;

// Writes and flushes. Throws io::FileError where stdout does not take it (a full disk, a closed pipe): a
// result that nobody received is not a success.
void write_stdout(std::string_view text);

// "keysieve: KIND: message", control characters escaped and line breaks turned into "; ".
void print_error(std::string_view message);
void print_warning(std::string_view message);

}  // namespace keysieve::cli
