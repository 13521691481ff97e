// fornix check and fornix backup: fornix/maintenance.h on the command line.
#pragma once

#include <cstdint>
#include <string>

namespace fornix::tools {

struct CheckCommand {
  std::string file, memory;
  bool json = false;
};
// 0: all is well; 1: problems, or nothing could be looked at.
int RunCheck(const CheckCommand& command);

struct BackupCommand {
  std::string file, to;
  bool check = false;
};
int RunBackup(const BackupCommand& command);

}  // namespace fornix::tools
