// The style sheet of the page: light and dark by the reader's setting, charts as wide as they are inside containers
// that scroll, nothing fetched.
#pragma once

namespace keysieve::report {

extern const char* const kStyle;

}  // namespace keysieve::report
