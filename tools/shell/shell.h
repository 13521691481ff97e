// The interactive shell: line editing and history by libedit, statements over several lines, Ctrl-C cancels what runs.
#pragma once

#include <string>

#include "fornix/database.h"

namespace fornix::shell {

// Runs until :quit or the end of input. `path` is shown in the greeting.
int RunShell(Database* database, const std::string& path);

}  // namespace fornix::shell
