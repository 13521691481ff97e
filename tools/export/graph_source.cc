// One snapshot's elements; see graph_source.h.
#include "tools/export/graph_source.h"

#include "tools/export/export.h"

namespace fornix::tools {

Status GraphSource::Open() {
  ASSIGN_OR_RETURN(schema_, SchemaStatements(connection_));
  TransactionOptions options;
  options.read_only = true;
  RETURN_IF_ERROR(connection_->Begin(options));
  ASSIGN_OR_RETURN(const auto nodes, connection_->Query("MATCH (n) RETURN count(n)"));
  ASSIGN_OR_RETURN(const auto relationships, connection_->Query("MATCH ()-[r]->() RETURN count(r)"));
  nodes_ = static_cast<uint64_t>(nodes.at(0).at(0).AsInteger());
  relationships_ = static_cast<uint64_t>(relationships.at(0).at(0).AsInteger());
  return Status::Ok();
}

Status GraphSource::Stream(const char* text, const std::function<Status(const Value&)>& take) {
  ASSIGN_OR_RETURN(const auto cursor, connection_->Execute(text));
  std::vector<Row> rows;
  while (!cursor->done()) {
    rows.clear();
    RETURN_IF_ERROR(cursor->Fetch(1024, &rows));
    for (const Row& row : rows) RETURN_IF_ERROR(take(row[0]));
    done_ += rows.size();
    if (progress_) progress_(done_);
  }
  return Status::Ok();
}

Status GraphSource::Nodes(const std::function<Status(const Node&)>& take) {
  return Stream("MATCH (n) RETURN n", [&take](const Value& v) { return take(v.AsNode()); });
}

Status GraphSource::Relationships(const std::function<Status(const Relationship&)>& take) {
  return Stream("MATCH ()-[r]->() RETURN r", [&take](const Value& v) { return take(v.AsRelationship()); });
}

}  // namespace fornix::tools
