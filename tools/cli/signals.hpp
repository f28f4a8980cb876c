#pragma once

namespace keysieve::cli {

// From here on
//  - an interrupt or termination removes unfinished outputs before it ends the process, as it would have;
//  - a mapped input that shrinks or cannot be read ends in one line and exit code 2 instead of a bus error;
//  - a closed pipe and the file size limit are error codes of write instead of signals.
void install_signal_handlers();

}  // namespace keysieve::cli
