// fornix: the command line.
//
//   fornix FILE | bolt://HOST                    the shell
//   fornix query FILE "STATEMENT" | -            runs statements from the argument or standard input
//   fornix import | export | dump | check | backup | serve   see tool_commands.cc
//
// Exit codes: 0 all worked, 1 a statement failed, 2 wrong usage or not available yet.
#include <csignal>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>

#include "fornix/database.h"
#include "tools/server/bolt/remote.h"
#include "tools/shell/json.h"
#include "tools/shell/runner.h"
#include "tools/shell/shell.h"
#include "tools/shell/tool_commands.h"

namespace {

using namespace fornix;
using namespace fornix::shell;

struct Arguments {
  std::string file;
  std::string statement;
  std::vector<std::string> parameters;
  bool json = false, read_only = false;
};

int FeedStandardInput(StatementRunner* runner) {
  ScriptFeeder feeder(runner);
  char buffer[1 << 16];
  while (!runner->wants_quit()) {
    ssize_t n = read(STDIN_FILENO, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    feeder.Feed(std::string_view(buffer, static_cast<size_t>(n)));
  }
  feeder.Finish();
  return feeder.failed() ? 1 : 0;
}

int Fail(const Status& status, bool json) {
  if (json) std::printf("%s\n", Dump(ToJson(status)).c_str());
  else std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}

// The file, or the server at the other end of bolt://.
struct Opened {
  std::unique_ptr<Database> database;        // null for a server
  std::unique_ptr<Connection> connection;
  Status Close() {
    connection.reset();
    return database == nullptr ? Status::Ok() : database->Close();
  }
};
Status Open(const Arguments& arguments, Opened* out) {
  if (arguments.file.find("://") != std::string::npos && (arguments.file.starts_with("bolt") || arguments.file.starts_with("neo4j"))) {
    if (arguments.read_only) return Status(Code::kUsage, "--read-only is for files");
    ASSIGN_OR_RETURN(const bolt::RemoteAddress address, bolt::ParseAddress(arguments.file));
    ASSIGN_OR_RETURN(out->connection, bolt::ConnectRemote(address));
    return Status::Ok();
  }
  DatabaseOptions options;
  options.read_only = arguments.read_only;
  ASSIGN_OR_RETURN(out->database, Database::Open(arguments.file, options));
  out->connection = out->database->Connect();
  return Status::Ok();
}

int RunQuery(const Arguments& arguments) {
  RunnerOptions options;
  options.json = arguments.json;
  options.timing = !arguments.json && isatty(STDOUT_FILENO);
  options.colour = isatty(STDOUT_FILENO) && !std::getenv("NO_COLOR");
  for (const std::string& parameter : arguments.parameters) {
    size_t equals = parameter.find('=');
    if (equals == std::string::npos) return Fail(Status(Code::kUsage, "--param takes name=json, not '" + parameter + "'"), arguments.json);
    Result<Value> value = FromJson(std::string_view(parameter).substr(equals + 1));
    if (!value.ok()) return Fail(Status(value.status().code(), "--param " + parameter.substr(0, equals) + ": " + value.status().message()), arguments.json);
    options.parameters.Set(parameter.substr(0, equals), *value);
  }
  Opened opened;
  if (Status status = Open(arguments, &opened); !status.ok()) return Fail(status, arguments.json);
  StatementRunner runner(opened.connection.get(), options, stdout);
  int code;
  if (arguments.statement == "-") {
    code = FeedStandardInput(&runner);
  } else {
    ScriptFeeder feeder(&runner);
    feeder.Feed(arguments.statement);
    feeder.Finish();
    code = feeder.failed() ? 1 : 0;
    if (arguments.statement.find_first_not_of(" \t\r\n") == std::string::npos) code = runner.RunStatement("") ? 0 : 1;
  }
  Status closed = opened.Close();
  if (!closed.ok()) return Fail(closed, arguments.json);
  return code;
}

int RunInteractive(const Arguments& arguments) {
  Opened opened;
  if (Status status = Open(arguments, &opened); !status.ok()) return Fail(status, false);
  int code = 0;
  if (isatty(STDIN_FILENO)) {
    code = RunShell(opened.connection.get(), arguments.file);
  } else {
    RunnerOptions runner_options;
    runner_options.timing = false;
    StatementRunner runner(opened.connection.get(), runner_options, stdout);
    code = FeedStandardInput(&runner);
  }
  Status closed = opened.Close();
  return closed.ok() ? code : Fail(closed, false);
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);   // a file that may grow no further is an error of its write, not the end of the process
  CLI::App app{"Fornix: graph, vectors and keywords in one file, asked in Cypher"};
  app.set_version_flag("--version", "fornix " + std::string(Database::Version()));
  Arguments arguments;
  app.add_option("FILE", arguments.file, "the database; made if it isn't there. \":memory:\" leaves nothing on disk; bolt://host:7687 is a server");
  app.add_flag("--read-only", arguments.read_only, "refuse writes");
  CLI::App* query = app.add_subcommand("query", "run statements from the argument or from standard input (-)");
  query->add_option("FILE", arguments.file, "the database")->required();
  query->add_option("STATEMENT", arguments.statement, "statements separated by ';', or - to read them as they come")->required();
  query->add_option("--param", arguments.parameters, "a parameter, name=json; may be repeated")->allow_extra_args(false);
  query->add_flag("--json", arguments.json, "one JSON object a statement");
  query->add_flag("--read-only", arguments.read_only, "refuse writes");
  ToolCommands tool_commands(&app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    int code = app.exit(e);
    return code == 0 ? 0 : 2;
  }
  if (query->parsed()) return RunQuery(arguments);
  if (int code = tool_commands.Run(); code >= 0) return code;
  if (arguments.file.empty()) {
    std::cout << app.help();
    return 2;
  }
  return RunInteractive(arguments);
}
