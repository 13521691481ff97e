// fornix export: see export.h.
#pragma once

#include <string>

namespace fornix::tools {

struct ExportCommand {
  std::string file, format = "jsonl", out = "-";
};
int RunExport(const ExportCommand& command);

}  // namespace fornix::tools
