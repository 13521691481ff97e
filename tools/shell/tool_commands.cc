#include "tools/shell/tool_commands.h"

#include "tools/check/command.h"
#include "tools/dump/dump.h"
#include "tools/export/command.h"
#include "tools/import/command.h"
#include "tools/server/command.h"

namespace fornix::shell {

struct ToolCommands::State {
  CLI::App *import_app = nullptr, *export_app = nullptr, *dump_app = nullptr, *check_app = nullptr, *backup_app = nullptr, *serve_app = nullptr;
  tools::ImportCommand import_command;
  tools::DumpCommand dump_command;
  tools::CheckCommand check_command;
  tools::BackupCommand backup_command;
  tools::ExportCommand export_command;
  tools::ServeCommand serve_command;
};

namespace {

CLI::App* AddImport(CLI::App* app, tools::ImportCommand* c) {
  CLI::App* sub = app->add_subcommand("import", "make a new database from CSV files or JSON Lines");
  sub->add_option("FILE", c->file, "the database to make; one that is there must be empty")->required();
  sub->add_option("--nodes", c->nodes, "[LABEL[:LABEL]=]FILE[,FILE...]: nodes; the first line of the first file is the header")->allow_extra_args(true);
  sub->add_option("--relationships", c->relationships, "[TYPE=]FILE[,FILE...]: relationships")->allow_extra_args(true);
  sub->add_option("--from", c->from, "a directory of `fornix export --format csv`");
  sub->add_option("--jsonl", c->json_lines, "a file of `fornix export --format jsonl`")->allow_extra_args(true);
  sub->add_option("--schema", c->schema, "a file of statements (indexes, constraints) to run when the data is there");
  sub->add_option("--delimiter", c->delimiter, "between fields, or TAB")->capture_default_str();
  sub->add_option("--array-delimiter", c->array_delimiter, "between the elements of a list and between labels")->capture_default_str();
  sub->add_option("--quote", c->quote, "around fields")->capture_default_str();
  sub->add_option("--id-type", c->id_type, "string or integer: what an id that is kept becomes as a property")->capture_default_str();
  sub->add_option("--bad", c->bad, "where rows that are put aside go, with file, line and reason (default FILE.bad.csv)");
  sub->add_option("--bad-tolerance", c->bad_tolerance, "more such rows than this end the import")->capture_default_str();
  sub->add_flag("--skip-bad-relationships", c->skip_bad_relationships, "put relationships aside whose nodes aren't there, instead of stopping");
  sub->add_flag("--skip-duplicate-nodes", c->skip_duplicate_nodes, "put nodes aside whose id came before, instead of stopping");
  sub->add_flag("--ignore-extra-columns", c->ignore_extra_columns, "take rows that have more fields than the header");
  sub->add_option("--memory", c->memory, "what the import may hold, as 512m or 4g (default: half of the machine's)");
  sub->add_option("--threads", c->threads, "default: as many as processors");
  sub->footer(
      "Columns (as in neo4j-admin):\n"
      "  nodes          name:ID(Space)  :LABEL  name:type\n"
      "  relationships  :START_ID(Space)  :END_ID(Space)  :TYPE  name:type\n"
      "  :IGNORE        is left out\n"
      "Types: string (the default) long int short byte double float boolean char date localtime time\n"
      "localdatetime datetime duration point, each also as a list (int[]); vector, bytes, any.\n"
      "Example:\n"
      "  fornix import social.fornix --nodes Person=people.csv --relationships KNOWS=knows.csv\n"
      "  where people.csv begins with  id:ID,name,age:int  and knows.csv with  :START_ID,:END_ID,since:date");
  return sub;
}

CLI::App* AddServe(CLI::App* app, tools::ServeCommand* c) {
  CLI::App* sub = app->add_subcommand("serve", "serve a database to Bolt drivers, on this machine");
  bolt::ServerOptions& o = c->server;
  sub->add_option("FILE", c->file, "the database; made if it isn't there")->required();
  sub->add_option("--address", o.address, "of this machine, to listen on")->capture_default_str();
  sub->add_option("--port", o.port, "0: any free one")->capture_default_str();
  sub->add_option("--advertise", o.advertised_address, "host:port that neo4j:// clients are sent to (default: where they asked)");
  sub->add_option("--auth", c->auth, "none: whoever reaches the port may do everything, so it is open to this machine alone")->capture_default_str();
  sub->add_option("--tls-certificate", c->tls_certificate, "PEM file with the certificate and its chain: then the port speaks TLS alone; SIGHUP reads it anew");
  sub->add_option("--tls-key", c->tls_key, "PEM file with its key");
  sub->add_flag("--read-only", c->read_only, "refuse writes");
  sub->add_option("--memory", c->memory, "what the database may hold, as 512m or 4g (default: half of the machine's)");
  sub->add_option("--sessions", o.sessions_max, "more connections than this are closed")->capture_default_str();
  sub->add_option("--message-bytes", o.message_bytes_max, "a longer message ends its connection")->capture_default_str();
  sub->add_option("--idle", o.idle_seconds_max, "seconds without a message that end a connection; 0: never")->capture_default_str();
  sub->add_option("--timeout", o.transaction_seconds_max, "seconds that a transaction may take, whatever its client asks for; 0: what that asks")->capture_default_str();
  sub->add_option("--metrics-port", c->metrics_port, "a port for GET /metrics (Prometheus) and /health; 0: any free one (default: none)");
  sub->add_option("--slow", o.slow_millis, "milliseconds from which on a statement is told on standard error, as a line of JSON without its parameters; 0: none")->capture_default_str();
  sub->add_option("--workers", o.workers, "threads that run statements (default: four a core, at least 16)");
  return sub;
}

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

CLI::App* AddDump(CLI::App* app, tools::DumpCommand* c) {
  CLI::App* sub = app->add_subcommand("dump", "show what is in a database's files, also in damaged ones");
  sub->add_option("FILE", c->file, "the database")->required();
  sub->add_flag("--log", c->log, "the log: its segments, frames and where it ends");
  sub->add_flag("--json", c->json, "one JSON object");
  sub->footer("Root slots, catalog, chunks, indexes, extents by kind, free space. What can't be read is said, and the rest is shown.");
  return sub;
}

CLI::App* AddCheck(CLI::App* app, tools::CheckCommand* c) {
  CLI::App* sub = app->add_subcommand("check", "look for damage: checksums, adjacency, counts, indexes, space, log");
  sub->add_option("FILE", c->file, "the database; it may be in use")->required();
  sub->add_flag("--json", c->json, "one JSON object");
  sub->add_option("--memory", c->memory, "for what is read, as 512m (default 256m)");
  sub->footer("Exit code 0: all is well, 1: problems, which are listed (the first 100). Changes nothing.");
  return sub;
}

CLI::App* AddBackup(CLI::App* app, tools::BackupCommand* c) {
  CLI::App* sub = app->add_subcommand("backup", "copy a database, also while it is in use");
  sub->add_option("FILE", c->file, "the database; it may be in use")->required();
  sub->add_option("TO", c->to, "the copy; must not exist")->required();
  sub->add_flag("--check", c->check, "check the copy");
  sub->footer("The copy holds every commit that was durable when the command began, is one closed file, and appears when it is whole.\n"
              "To restore, put it in the place of the database while nobody has that open.");
  return sub;
}

}  // namespace

ToolCommands::ToolCommands(CLI::App* app) : state_(std::make_unique<State>()) {
  state_->import_app = AddImport(app, &state_->import_command);
  state_->export_app = AddExport(app, &state_->export_command);
  state_->dump_app = AddDump(app, &state_->dump_command);
  state_->check_app = AddCheck(app, &state_->check_command);
  state_->backup_app = AddBackup(app, &state_->backup_command);
  state_->serve_app = AddServe(app, &state_->serve_command);
}
ToolCommands::~ToolCommands() = default;

int ToolCommands::Run() const {
  if (state_->import_app->parsed()) return tools::RunImport(state_->import_command);
  if (state_->dump_app->parsed()) return tools::RunDump(state_->dump_command);
  if (state_->check_app->parsed()) return tools::RunCheck(state_->check_command);
  if (state_->backup_app->parsed()) return tools::RunBackup(state_->backup_command);
  if (state_->serve_app->parsed()) return tools::RunServe(state_->serve_command);
  if (state_->export_app->parsed()) return tools::RunExport(state_->export_command);
  return -1;
}

}  // namespace fornix::shell
