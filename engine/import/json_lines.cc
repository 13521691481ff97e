// JSON Lines as `fornix export` writes them: {"type": "node", ...}, {"type": "relationship", ...}, {"type": "schema", ...}. A file is
// gone through twice, because a relationship may stand before its nodes.
#include <algorithm>
#include <cstring>

#include "engine/function/json.h"
#include "engine/import/import_job.h"
#include "engine/import/typed_json.h"

namespace fornix::engine {
namespace {

constexpr char kSpace[] = "JSON Lines";        // their ids are a space of their own
constexpr size_t kBlockBytes = size_t{1} << 20;

Status Wrong(std::string what) { return Status(Code::kArgumentError, std::move(what)); }

// Calls line(number, text) for each line that isn't empty.
Status ForEachLine(ImportJob* job, const std::string& path, const std::function<Status(uint64_t, std::string_view)>& line) {
  ASSIGN_OR_RETURN(const auto file, job->files().Open(path, {}));
  std::vector<char> buffer;
  uint64_t offset = 0, number = 0;
  size_t filled = 0;
  for (bool at_end = false; !at_end;) {
    const size_t more = std::max(kBlockBytes, filled);
    buffer.resize(filled + more);
    ASSIGN_OR_RETURN(const size_t n, file->ReadAt(offset, std::as_writable_bytes(std::span(buffer.data() + filled, more))));
    offset += n;
    filled += n;
    at_end = n < more;
    size_t begin = 0;
    while (begin < filled) {
      const void* feed = std::memchr(buffer.data() + begin, '\n', filled - begin);
      if (feed == nullptr && !at_end) break;
      const size_t end = feed == nullptr ? filled : static_cast<size_t>(static_cast<const char*>(feed) - buffer.data());
      std::string_view text(buffer.data() + begin, end - begin);
      if (text.ends_with('\r')) text.remove_suffix(1);
      ++number;
      if (!text.empty()) RETURN_IF_ERROR(line(number, text));
      begin = std::min(end + 1, filled);
    }
    std::copy(buffer.begin() + static_cast<ptrdiff_t>(begin), buffer.begin() + static_cast<ptrdiff_t>(filled), buffer.begin());
    filled -= begin;
    if (filled > kImportRowBytesMax) return Status(Code::kLimitExceeded, WhereIs(path, number + 1) + ": the line is longer than 128 MiB (import-row-bytes-max)");
  }
  return Status::Ok();
}

Result<std::string> TextOf(const Map& object, std::string_view key) {
  const Value* value = object.Find(key);
  if (value == nullptr || value->type() != Type::kString) return Wrong("it needs the text \"" + std::string(key) + "\"");
  return value->AsString();
}

// A number or a text.
Result<std::string> IdOf(const Map& object, std::string_view key) {
  const Value* value = object.Find(key);
  if (value != nullptr && value->type() == Type::kInteger) return std::to_string(value->AsInteger());
  return TextOf(object, key);
}

Status PropertiesOf(ImportJob* job, const Map& object, storage::RowBytes* row) {
  row->Clear();
  const Value* properties = object.Find("properties");
  if (properties == nullptr) return Status::Ok();
  if (properties->type() != Type::kMap) return Wrong("\"properties\" is followed by an object");
  std::vector<std::pair<PropertyId, Value>> values;
  for (const auto& [name, plain] : properties->AsMap()) {
    ASSIGN_OR_RETURN(Value value, FromTyped(plain));
    ASSIGN_OR_RETURN(const PropertyId key, job->loader().tokens().properties.Intern(name));
    values.emplace_back(key, std::move(value));
  }
  std::sort(values.begin(), values.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [key, value] : values) row->Any(key, value);
  return Status::Ok();
}

Result<Map> ObjectOf(std::string_view text) {
  ASSIGN_OR_RETURN(const Value value, FromJson(text));
  if (value.type() != Type::kMap) return Wrong("a line is one object");
  return value.AsMap();
}

Status AddNode(ImportJob* job, const Map& object, storage::RowBytes* row) {
  ASSIGN_OR_RETURN(const std::string id, IdOf(object, "id"));
  std::vector<LabelId> labels;
  if (const Value* names = object.Find("labels"); names != nullptr) {
    if (names->type() != Type::kList) return Wrong("\"labels\" is followed by a list");
    for (const Value& name : names->AsList()) {
      if (name.type() != Type::kString) return Wrong("a label is a text");
      ASSIGN_OR_RETURN(const LabelId label, job->loader().tokens().labels.Intern(name.AsString()));
      labels.push_back(label);
    }
  }
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  RETURN_IF_ERROR(PropertiesOf(job, object, row));
  const storage::LabelSet* set = job->loader().label_sets().Intern(labels);
  ASSIGN_OR_RETURN(const bool is_new, job->Ids(kSpace)->Insert(id, job->loader().PeekNode(set)));
  if (!is_new) return Wrong("the id '" + id + "' came before");
  job->CountRow();
  return job->loader().AddNode(set, row->bytes()).status();
}

Result<uint64_t> NodeOf(ImportJob* job, const Map& object, std::string_view key) {
  ASSIGN_OR_RETURN(const std::string id, IdOf(object, key));
  const std::string_view view = id;
  uint64_t node = IdMap::kNone;
  if (const IdMap* ids = job->FindIds(kSpace)) ids->Find({&view, 1}, &node);
  if (node == IdMap::kNone) return Wrong("there is no node with the id '" + id + "', the relationship's " + std::string(key));
  return node;
}

Status AddRelationship(ImportJob* job, const Map& object, uint64_t ordinal, storage::RunSorter::Writer* writer, storage::RowBytes* row) {
  ASSIGN_OR_RETURN(const std::string name, TextOf(object, "label"));
  ASSIGN_OR_RETURN(const uint64_t start, NodeOf(job, object, "start"));
  ASSIGN_OR_RETURN(const uint64_t end, NodeOf(job, object, "end"));
  ASSIGN_OR_RETURN(const TypeId type, job->loader().tokens().types.Intern(name));
  RETURN_IF_ERROR(PropertiesOf(job, object, row));
  return writer->Add(storage::RelationshipKey(type, start, end, ordinal), row->bytes());
}

// Errors of the machine end the import; a line that can't be taken is put aside.
Status PutAside(ImportJob* job, const std::string& path, uint64_t number, std::string_view text, const Status& status) {
  const bool of_line = status.code() == Code::kArgumentError || status.code() == Code::kTypeError || status.code() == Code::kSyntaxError ||
                       status.code() == Code::kParameterInvalid;
  return status.ok() || !of_line ? status : job->bad().Add(path, number, text, status.message());
}

}  // namespace

Status ReadJsonLinesNodes(ImportJob* job, const std::string& path, std::vector<std::string>* schema) {
  storage::RowBytes row;
  return ForEachLine(job, path, [&](uint64_t number, std::string_view text) -> Status {
    auto take = [&]() -> Status {
      ASSIGN_OR_RETURN(const Map object, ObjectOf(text));
      ASSIGN_OR_RETURN(const std::string type, TextOf(object, "type"));
      if (type == "node") return AddNode(job, object, &row);
      if (type == "relationship") return Status::Ok();
      if (type != "schema") return Wrong("\"type\" is node, relationship or schema, not \"" + type + "\"");
      ASSIGN_OR_RETURN(std::string statement, TextOf(object, "statement"));
      schema->push_back(std::move(statement));
      return Status::Ok();
    };
    return PutAside(job, path, number, text, take());
  });
}

Status ReadJsonLinesRelationships(ImportJob* job, const std::string& path) {
  storage::RowBytes row;
  const auto writer = job->loader().NewWriter();
  const Status read = ForEachLine(job, path, [&](uint64_t number, std::string_view text) -> Status {
    auto take = [&]() -> Status {
      ASSIGN_OR_RETURN(const Map object, ObjectOf(text));
      const Value* type = object.Find("type");
      if (type == nullptr || *type != Value("relationship")) return Status::Ok();
      RETURN_IF_ERROR(AddRelationship(job, object, job->rows(), writer.get(), &row));
      job->CountRow();
      job->CountRelationships(1);
      return Status::Ok();
    };
    const Status status = take();
    // Lines that can't be read were put aside when the nodes were read.
    const Result<Map> object = status.ok() ? Result<Map>(Map()) : ObjectOf(text);
    return object.ok() ? PutAside(job, path, number, text, status) : Status::Ok();
  });
  return read.ok() ? writer->Close() : read;
}

}  // namespace fornix::engine
