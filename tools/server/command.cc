#include "tools/server/command.h"

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tools/import/command.h"
#include "tools/server/bolt/tls.h"

namespace fornix::tools {
namespace {

int Fail(const Status& status) {
  std::fprintf(stderr, "fornix serve: %s\n", status.ToString().c_str());
  return status.code() == Code::kNotAvailable || status.code() == Code::kUsage ? 2 : 1;
}

}  // namespace

int RunServe(const ServeCommand& command) {
  if (command.auth != "none") {
    return Fail(Status(Code::kNotAvailable, "--auth " + command.auth + ": users and passwords are not available yet; --auth none serves loopback alone"));
  }
  // Before any thread is made, so that all of them leave the signals to this one.
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);

  DatabaseOptions options;
  options.read_only = command.read_only;
  if (!command.memory.empty()) {
    const Result<uint64_t> bytes = ParseBytes(command.memory);
    if (!bytes.ok()) return Fail(bytes.status());
    options.memory_bytes_max = *bytes;
  }
  Result<std::unique_ptr<Database>> database = Database::Open(command.file, options);
  if (!database.ok()) return Fail(database.status());
  bolt::ServerOptions served = command.server;
  std::unique_ptr<bolt::TlsCertificate> tls;
  if (command.tls_certificate.empty() != command.tls_key.empty()) return Fail(Status(Code::kUsage, "--tls-certificate and --tls-key go together"));
  if (!command.tls_certificate.empty()) {
    auto read = bolt::TlsCertificate::Read(command.tls_certificate, command.tls_key);
    if (!read.ok()) return Fail(read.status());
    tls = std::move(*read);
    served.tls = tls.get();
  }
  served.on_slow = [](const bolt::SlowStatement& slow) {
    const nlohmann::json line = {{"event", "slow statement"}, {"connection", slow.connection}, {"milliseconds", slow.millis}, {"rows", slow.rows}, {"text", slow.text}};
    std::fprintf(stderr, "%s\n", line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  };
  Result<std::unique_ptr<bolt::Server>> server = bolt::Server::Start(database->get(), std::filesystem::path(command.file).stem().string(), served);
  if (!server.ok()) return Fail(server.status());
  std::unique_ptr<bolt::HttpPort> http;
  if (command.metrics_port >= 0) {
    bolt::Server* const counted = server->get();
    Database* const asked = database->get();
    auto started = bolt::HttpPort::Start(command.server.address, static_cast<uint16_t>(command.metrics_port),
                                         {[counted] { return counted->metrics(); }, [asked] { return asked->Connect()->Query("RETURN 1").ok(); }});
    if (!started.ok()) return Fail(started.status());
    http = std::move(*started);
    std::printf("metrics and health at http://%s:%u/metrics, /health\n", command.server.address.c_str(), http->port());
  }
  std::printf("Fornix %s serves %s at bolt%s://%s:%u (no passwords: this machine alone). Ctrl-C ends it.\n", std::string(Database::Version()).c_str(),
              command.file.c_str(), tls != nullptr ? "+s" : "", command.server.address.c_str(), (*server)->port());
  std::fflush(stdout);
  int signal = 0;
  for (sigwait(&signals, &signal); signal == SIGHUP; sigwait(&signals, &signal)) {
    const Status read = tls == nullptr ? Status::Ok() : tls->ReadAgain();
    if (!read.ok()) std::fprintf(stderr, "fornix serve: the old certificate stays: %s\n", read.ToString().c_str());
  }
  std::printf("stopping: %u sessions\n", (*server)->sessions());
  std::fflush(stdout);
  http.reset();
  (*server)->Stop();
  server->reset();
  const Status closed = (*database)->Close();
  return closed.ok() ? 0 : Fail(closed);
}

}  // namespace fornix::tools
