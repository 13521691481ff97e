// OutFile: text that is written front to back: to standard output, or to a file that gets its name when it is whole.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "fornix/status.h"

namespace fornix::tools {

class OutFile {
 public:
  // "-": standard output.
  static Result<std::unique_ptr<OutFile>> Open(const std::string& path);
  ~OutFile();
  Status Write(std::string_view text);
  Status Close();                            // synced and renamed; without it the file goes

 private:
  OutFile(std::FILE* file, std::string path) : file_(file), path_(std::move(path)) {}
  Status Failed(const char* what) const;
  std::FILE* file_;
  const std::string path_;                   // empty: standard output
};

}  // namespace fornix::tools
