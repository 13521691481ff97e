// fornix dump: what is in a database's files, also in files that don't open any more: each part says what is damaged, and the
// next one is looked at all the same.
#pragma once

#include <string>

#include "base/file.h"

namespace fornix::tools {

struct DumpCommand {
  std::string file;
  bool log = false, json = false;
};
// The parts as text, or as one JSON object.
std::string DumpFile(FileSystem& files, const std::string& path, bool json);
int RunDump(const DumpCommand& command);

}  // namespace fornix::tools
