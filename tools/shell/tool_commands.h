// The subcommands that work on files rather than in a session: their options and help texts.
#pragma once

#include <CLI/CLI.hpp>

namespace fornix::shell {

class ToolCommands {
 public:
  explicit ToolCommands(CLI::App* app);
  ~ToolCommands();
  // The exit code of the one that was named; -1 if none was.
  int Run() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fornix::shell
