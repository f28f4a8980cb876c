// `keysieve report`: results in, a page and tables out.
#pragma once

#include <string>
#include <vector>

namespace keysieve::report {

struct ReportOptions {
  std::vector<std::string> inputs;
  std::string html, markdown, baseline;  // paths; none where empty
};

struct ReportOutcome {
  std::string summary;  // one line for people
  bool has_fault = false;
};

// Writes the files, each whole or not at all. Throws io::FileError.
ReportOutcome make_report(const ReportOptions& options);

}  // namespace keysieve::report
