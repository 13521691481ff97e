// CSV files in a directory; see export.h.
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/errors.h"
#include "tools/export/csv_columns.h"
#include "tools/export/formats.h"
#include "tools/export/out_file.h"

namespace fornix::tools {
namespace {

constexpr size_t kBufferBytes = size_t{64} << 10;

// All elements of one shape. Appends through a buffer and opens the file for each flush: a database may have more shapes than
// a process may have open files.
class ShapeFile {
 public:
  CsvColumns columns;

  Status Begin(const std::string& directory, const std::string& name, const std::string& first_columns) {
    path_ = directory + "/" + name + ".csv.new";
    buffer_ = first_columns + columns.Header() + "\n";
    return Status::Ok();
  }
  Status Add(const std::string& first_fields, const Map& properties) {
    buffer_ += first_fields;
    columns.AppendRow(properties, &buffer_);
    buffer_ += '\n';
    return buffer_.size() < kBufferBytes ? Status::Ok() : Flush();
  }
  Status End() {
    RETURN_IF_ERROR(Flush());
    const std::string final_path = path_.substr(0, path_.size() - 4);
    return std::rename(path_.c_str(), final_path.c_str()) == 0 ? Status::Ok() : Failed("can't be renamed");
  }

 private:
  Status Failed(const char* what) const { return IoError(path_ + ": " + what + ": " + std::strerror(errno)); }
  Status Flush() {
    std::FILE* file = std::fopen(path_.c_str(), begun_ ? "ab" : "wb");
    begun_ = true;
    if (file == nullptr) return Failed("can't be opened");
    const bool written = std::fwrite(buffer_.data(), 1, buffer_.size(), file) == buffer_.size();
    if ((std::fclose(file) != 0) || !written) return Failed("can't be written");
    buffer_.clear();
    return Status::Ok();
  }
  std::string path_, buffer_;
  bool begun_ = false;
};

using Shapes = std::map<std::string, ShapeFile>;

// "Person;Actor" -> "Person-Actor", with what a file name had better not have left out.
std::string FileName(const std::string& kind, size_t number, const std::string& shape) {
  std::string out = kind + "-" + std::to_string(number);
  std::string words;
  for (char c : shape) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (plain) words += c;
    else if (!words.empty() && words.back() != '-') words += '-';
    if (words.size() == 60) break;
  }
  return words.empty() ? out : out + "-" + words;
}

std::string ShapeOf(const Node& node) {
  std::string out;
  for (const std::string& label : node.labels) out += (out.empty() ? "" : ";") + label;
  return out;
}

Status MakeDirectory(const std::string& path) {
  if (path.empty() || path == "-") return UsageError("a CSV export needs a directory (--out DIR)");
  if (mkdir(path.c_str(), 0777) != 0 && errno != EEXIST) return IoError(path + ": can't be made: " + std::strerror(errno));
  std::error_code error;
  const bool empty = std::filesystem::is_empty(path, error);
  if (error) return IoError(path + ": " + error.message());
  return empty ? Status::Ok() : UsageError(path + " isn't empty; a CSV export makes many files, so give it a directory of its own");
}

Status BeginAll(Shapes* shapes, const std::string& directory, const std::string& kind, const std::string& first_columns) {
  size_t number = 0;
  for (auto& [shape, file] : *shapes) RETURN_IF_ERROR(file.Begin(directory, FileName(kind, ++number, shape), first_columns));
  return Status::Ok();
}

Status EndAll(Shapes* shapes) {
  for (auto& [shape, file] : *shapes) RETURN_IF_ERROR(file.End());
  return Status::Ok();
}

}  // namespace

Status ExportCsv(GraphSource* source, const std::string& directory) {
  RETURN_IF_ERROR(MakeDirectory(directory));
  Shapes nodes, relationships;
  for (int pass = 0; pass < 2; ++pass) {       // first the columns, then the rows
    if (pass == 1) {
      RETURN_IF_ERROR(BeginAll(&nodes, directory, "nodes", ":ID,:LABEL"));
      RETURN_IF_ERROR(BeginAll(&relationships, directory, "relationships", ":START_ID,:END_ID,:TYPE"));
    }
    std::string fields;
    RETURN_IF_ERROR(source->Nodes([&](const Node& node) {
      const std::string shape = ShapeOf(node);
      ShapeFile& file = nodes[shape];
      if (pass == 0) {
        for (const std::string& label : node.labels) {
          if (label.find(';') != std::string::npos) {
            return Status(Code::kArgumentError, "the label '" + label + "' has a ';' in it, which separates labels in CSV; use another format");
          }
        }
        file.columns.Look(node.properties);
        return Status::Ok();
      }
      fields = std::to_string(node.id) + ",";
      if (!shape.empty()) AppendField(shape, &fields);
      return file.Add(fields, node.properties);
    }));
    RETURN_IF_ERROR(source->Relationships([&](const Relationship& r) {
      ShapeFile& file = relationships[r.type];
      if (pass == 0) {
        file.columns.Look(r.properties);
        return Status::Ok();
      }
      fields = std::to_string(r.start) + "," + std::to_string(r.end) + ",";
      AppendField(r.type, &fields);
      return file.Add(fields, r.properties);
    }));
  }
  RETURN_IF_ERROR(EndAll(&nodes));
  RETURN_IF_ERROR(EndAll(&relationships));
  if (source->schema().empty()) return Status::Ok();
  ASSIGN_OR_RETURN(const auto schema, OutFile::Open(directory + "/schema.cypher"));
  for (const std::string& statement : source->schema()) RETURN_IF_ERROR(schema->Write(statement + ";\n"));
  return schema->Close();
}

}  // namespace fornix::tools
