#include "tools/shell/tool_commands.h"

#include "tools/export/command.h"

namespace fornix::shell {

struct ToolCommands::State {
  CLI::App* export_app = nullptr;
  tools::ExportCommand export_command;
};

namespace {

CLI::App* AddExport(CLI::App* app, tools::ExportCommand* c) {
  CLI::App* sub = app->add_subcommand("export", "write a database as CSV files, JSON Lines or a Cypher script");
  sub->add_option("FILE", c->file, "the database; it may be in use")->required();
  sub->add_option("--format", c->format, "csv, jsonl or cypher")->capture_default_str();
  sub->add_option("--out", c->out, "a directory for csv, else a file, or - for standard output")->capture_default_str();
  sub->footer(
      "Everything is of one moment, schema included. To read it back:\n"
      "  fornix import NEW.fornix --from DIR\n"
      "  fornix import NEW.fornix --jsonl FILE\n"
      "  fornix query NEW.fornix - < FILE");
  return sub;
}

}  // namespace

ToolCommands::ToolCommands(CLI::App* app) : state_(std::make_unique<State>()) {
  state_->export_app = AddExport(app, &state_->export_command);
}
ToolCommands::~ToolCommands() = default;

int ToolCommands::Run() const {
  if (state_->export_app->parsed()) return tools::RunExport(state_->export_command);
  return -1;
}

}  // namespace fornix::shell
