// The interactive shell; see shell.h.
#include "tools/shell/shell.h"

#include <editline/readline.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

#include "fornix/database.h"
#include "tools/shell/runner.h"

namespace fornix::shell {
namespace {

std::atomic<Connection*> g_running{nullptr};   // what Ctrl-C cancels

void OnInterrupt(int) {
  if (Connection* connection = g_running.load()) connection->Cancel();
}

size_t TerminalWidth() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 100;
}

std::string HistoryPath() {
  const char* home = std::getenv("HOME");
  return home ? std::string(home) + "/.fornix_history" : "";
}

}  // namespace

int RunShell(Connection* connection, const std::string& name) {
  RunnerOptions options;
  options.colour = isatty(STDOUT_FILENO) && !std::getenv("NO_COLOR");
  options.width_max = TerminalWidth();
  StatementRunner runner(connection, options, stdout);
  ScriptFeeder feeder(&runner);

  std::printf("Fornix %s, %s. :help shows the commands, :quit ends.\n", std::string(Database::Version()).c_str(), name.c_str());
  std::fflush(stdout);
  using_history();
  std::string history = HistoryPath();
  if (!history.empty()) read_history(history.c_str());
  g_running.store(connection);
  struct sigaction action{};
  action.sa_handler = OnInterrupt;
  sigaction(SIGINT, &action, nullptr);

  while (!runner.wants_quit()) {
    char* line = readline(feeder.pending() ? "   ...> " : connection->in_transaction() ? "fornix*> " : "fornix> ");
    if (!line) break;
    if (*line) add_history(line);
    feeder.Feed(std::string(line) + "\n");
    std::free(line);
  }
  feeder.Finish();
  if (!history.empty()) write_history(history.c_str());
  g_running.store(nullptr);
  std::printf("\n");
  return 0;
}

}  // namespace fornix::shell
