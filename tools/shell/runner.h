// StatementRunner: runs one statement after another on a connection and prints each answer, as a table or as JSON. Shared by
// `fornix query` and the interactive shell. Lines that start with ':' are commands: see kHelp in runner.cc.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "fornix/database.h"

namespace fornix::shell {

struct RunnerOptions {
  bool json = false;
  bool colour = false;
  bool timing = true;
  size_t width_max = 0;
  Map parameters;
};

class StatementRunner {
 public:
  StatementRunner(Connection* connection, RunnerOptions options, FILE* out)
      : connection_(connection), options_(std::move(options)), out_(out) {}

  // Prints the answer and flushes. False if it failed (the error is printed as well).
  bool RunStatement(std::string_view text);
  // ":begin", ":help", ... without the line's end. False if it failed.
  bool RunCommand(std::string_view line);
  bool wants_quit() const { return quit_; }

 private:
  bool Fail(const Status& status, std::string_view text);
  bool Say(const std::string& text);

  Connection* connection_;
  RunnerOptions options_;
  FILE* out_;
  bool quit_ = false;
};

// Feeds text as it comes: statements run when their ';' arrives, commands at the end of their line.
class ScriptFeeder {
 public:
  explicit ScriptFeeder(StatementRunner* runner) : runner_(runner) {}
  void Feed(std::string_view text);
  void Finish();                          // what is left is the last statement
  bool pending() const;                   // a statement has begun
  bool failed() const { return failed_; }

 private:
  void Drain(bool end);
  StatementRunner* runner_;
  std::string buffer_;
  bool failed_ = false;
};

}  // namespace fornix::shell
