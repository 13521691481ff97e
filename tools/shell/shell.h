// The interactive shell: line editing and history by libedit, statements over several lines, Ctrl-C cancels what runs.
#pragma once

#include <string>

#include "fornix/connection.h"

namespace fornix::shell {

// Runs until :quit or the end of input. `name` is shown in the greeting: a file, or the address of a server.
int RunShell(Connection* connection, const std::string& name);

}  // namespace fornix::shell
