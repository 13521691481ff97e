// A Cypher script: nodes in batches by label set, each with a number under a label of the script's own; relationships find their
// ends by it through a unique constraint; then label and numbers are taken away again, and the schema is made.
#include "base/value_format.h"
#include "tools/export/formats.h"
#include "tools/export/out_file.h"
#include "tools/export/typed_text.h"

namespace fornix::tools {
namespace {

// Statements are bounded by their text (kQueryTokensMax of the parser counts tokens, a value is some of them) and by the memory of
// one transaction.
constexpr size_t kBatchRowsMax = 1000;
constexpr size_t kBatchBytesMax = size_t{256} << 10;
constexpr char kMark[] = "`~import`";

class Script {
 public:
  explicit Script(OutFile* out) : out_(out) {}

  // UNWIND's rows {`row`, p: {...}} and what is done with them. Another `tail`, or a full batch, ends the one before.
  Status Add(const std::string& tail, const std::string& row, const Map& properties) {
    if (rows_ > 0 && (tail != tail_ || rows_ == kBatchRowsMax || text_.size() > kBatchBytesMax)) RETURN_IF_ERROR(Flush());
    tail_ = tail;
    text_ += (rows_++ == 0 ? "UNWIND [\n  {" : ",\n  {") + row + ", p: " + Properties(properties) + "}";
    return Status::Ok();
  }
  Status Flush() {
    if (rows_ == 0) return Status::Ok();
    std::string statement;
    for (size_t i = 0; i < parameters_.size(); ++i) statement += ":param bytes" + std::to_string(i) + " {\"~bytes\": \"" + parameters_[i] + "\"}\n";
    statement += text_ + "\n] AS row\n" + tail_ + ";\n";
    text_.clear();
    parameters_.clear();
    rows_ = 0;
    return out_->Write(statement);
  }

 private:
  std::string Properties(const Map& properties) {
    std::string out = "{";
    for (const auto& [key, value] : properties) {
      if (out.size() > 1) out += ", ";
      out += QuoteName(key) + ": ";
      AppendCypher(value, &out, &parameters_);
    }
    return out + "}";
  }
  OutFile* out_;
  std::string tail_, text_;
  std::vector<std::string> parameters_;
  size_t rows_ = 0;
};

}  // namespace

Status ExportCypher(GraphSource* source, const std::string& path) {
  ASSIGN_OR_RETURN(const auto out, OutFile::Open(path));
  const std::string mark = kMark;
  RETURN_IF_ERROR(out->Write("// Made by `fornix export`; to be run on an empty database, as with: fornix query NEW.fornix - < THIS\n"
                             "CREATE CONSTRAINT " + mark + " FOR (n:" + mark + ") REQUIRE n." + mark + " IS UNIQUE;\n"));
  Script script(out.get());
  uint64_t last_id = 0;
  RETURN_IF_ERROR(source->Nodes([&](const Node& node) {
    std::string labels;
    for (const std::string& label : node.labels) labels += ":" + QuoteName(label);
    last_id = std::max(last_id, node.id);
    return script.Add("CREATE (n:" + mark + labels + ") SET n = row.p, n." + mark + " = row.i", "i: " + std::to_string(node.id), node.properties);
  }));
  RETURN_IF_ERROR(script.Flush());
  RETURN_IF_ERROR(source->Relationships([&](const Relationship& r) {
    return script.Add("MATCH (a:" + mark + " {" + mark + ": row.s}), (b:" + mark + " {" + mark + ": row.e}) CREATE (a)-[r:" + QuoteName(r.type) +
                          "]->(b) SET r = row.p",
                      "s: " + std::to_string(r.start) + ", e: " + std::to_string(r.end), r.properties);
  }));
  RETURN_IF_ERROR(script.Flush());
  constexpr uint64_t kStep = 10'000;
  for (uint64_t from = 0; from <= last_id && source->nodes() > 0; from += kStep) {
    RETURN_IF_ERROR(out->Write("MATCH (n:" + mark + ") WHERE n." + mark + " >= " + std::to_string(from) + " AND n." + mark + " < " +
                               std::to_string(from + kStep) + " REMOVE n:" + mark + ", n." + mark + ";\n"));
  }
  RETURN_IF_ERROR(out->Write("DROP CONSTRAINT " + mark + ";\n"));
  for (const std::string& statement : source->schema()) RETURN_IF_ERROR(out->Write(statement + ";\n"));
  return out->Close();
}

}  // namespace fornix::tools
