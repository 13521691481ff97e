// A database whose connections go over Bolt, to a server in this process: tests of the public interface run through it unchanged.
#pragma once

#include <memory>
#include <utility>

#include "fornix/database.h"
#include "tools/server/bolt/remote.h"
#include "tools/server/bolt/server.h"

namespace fornix::bolt {

class ServedDatabase : public Database {
 public:
  explicit ServedDatabase(std::unique_ptr<Database> inner) : inner_(std::move(inner)) {
    ServerOptions options;
    options.port = 0;
    server_ = std::move(Server::Start(inner_.get(), "served", options).value());
  }
  ~ServedDatabase() override { server_.reset(); }
  std::unique_ptr<Connection> Connect() override { return std::move(ConnectRemote({"127.0.0.1", server_->port(), "", "", ""}).value()); }
  Result<CheckpointSummary> Checkpoint() override { return inner_->Checkpoint(); }
  Status Close() override {
    server_.reset();
    return inner_->Close();
  }

 private:
  const std::unique_ptr<Database> inner_;
  std::unique_ptr<Server> server_;
};

}  // namespace fornix::bolt
