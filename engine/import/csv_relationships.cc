// Files of relationships: every worker makes rows and sorts them on its own; where a row stood in the files is the last part of its
// key, so that the order doesn't depend on which worker had it.
#include <deque>
#include <unordered_map>

#include "base/utf8.h"
#include "engine/import/row_maker.h"

namespace fornix::engine {
namespace {

class RelationshipFiles {
 public:
  RelationshipFiles(ImportJob* job, const ImportFiles& files) : job_(job), files_(files) {}

  Status Run() {
    ASSIGN_OR_RETURN(reader_, CsvReader::Open(job_->files(), files_.paths, job_->format()));
    ASSIGN_OR_RETURN(columns_, ParseCsvHeader(reader_->header(), false, reader_->header_file()));
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].role == ColumnRole::kStart) RETURN_IF_ERROR(SetEnd(i, &start_));
      if (columns_[i].role == ColumnRole::kEnd) RETURN_IF_ERROR(SetEnd(i, &end_));
      if (columns_[i].role == ColumnRole::kType) type_column_ = static_cast<int>(i);
    }
    if (type_column_ < 0 && files_.name.empty()) {
      return Status(Code::kArgumentError, reader_->header_file() + ": the relationships have no type; name one before the file (TYPE=" +
                                              reader_->header_file() + ") or add a column :TYPE");
    }
    ASSIGN_OR_RETURN(maker_, RowMaker::Make(job_, columns_));
    return job_->RunWorkers([this](int) { return Work(); }, &turns_);
  }

 private:
  struct End {
    size_t column = 0;
    const IdMap* ids = nullptr;
    bool integers = false;
  };
  struct Scratch {
    CsvBatch batch;
    uint64_t first_row = 0;
    storage::RowBytes bytes;
    std::vector<uint32_t> rows, begins;        // in the batch; of the bytes
    std::vector<TypeId> types;
    std::vector<std::string_view> starts, ends;
    std::vector<uint64_t> start_nodes, end_nodes;
    std::deque<std::string> texts;
    std::unordered_map<std::string, TypeId> type_ids;
    std::string unquoted, reason, last_type_text;
    TypeId last_type;
  };

  Status SetEnd(size_t column, End* end) {
    end->column = column;
    end->ids = job_->FindIds(columns_[column].space);
    end->integers = HasIntegerIds(columns_[column], job_->options());
    if (end->ids == nullptr) {
      return Status(Code::kArgumentError, reader_->header_file() + ": no file of nodes has ids of " +
                                              (columns_[column].space.empty() ? std::string("the global id space")
                                                                              : "the id space " + columns_[column].space));
    }
    return Status::Ok();
  }

  Status Work() {
    auto writer = job_->loader().NewWriter();
    Scratch scratch;
    while (!turns_.failed()) {
      ASSIGN_OR_RETURN(const bool more, job_->NextBatch(reader_.get(), &scratch.batch, ImportStage::kRelationships, &scratch.first_row));
      if (!more) break;
      RETURN_IF_ERROR(Prepare(&scratch));
      RETURN_IF_ERROR(Add(&scratch, writer.get()));
    }
    return writer->Close();
  }

  Status Prepare(Scratch* s) {
    s->bytes.Clear();
    s->rows.clear();
    s->begins.clear();
    s->types.clear();
    s->starts.clear();
    s->ends.clear();
    s->texts.clear();
    for (uint32_t i = 0; i < s->batch.rows().size(); ++i) {
      const CsvRow& row = s->batch.rows()[i];
      const size_t begin = s->bytes.size();
      std::string_view start, end;
      if (!maker_.Make(s->batch, row, &s->unquoted, &s->bytes, &s->reason) || !TakeEnd(s, row, start_, "start", &start) ||
          !TakeEnd(s, row, end_, "end", &end) || !TakeType(s, row)) {
        s->bytes.CutTo(begin);
        RETURN_IF_ERROR(job_->bad().Add(s->batch, row, s->reason));
        continue;
      }
      s->rows.push_back(i);
      s->begins.push_back(static_cast<uint32_t>(begin));
      s->types.push_back(s->last_type);
      s->starts.push_back(start);
      s->ends.push_back(end);
    }
    s->begins.push_back(static_cast<uint32_t>(s->bytes.size()));
    return Status::Ok();
  }

  bool TakeEnd(Scratch* s, const CsvRow& row, const End& end, const char* which, std::string_view* out) {
    std::string_view id = FieldText(s->batch, row, end.column, &s->unquoted);
    if (id.empty()) {
      s->reason = std::string("the relationship has no ") + which;
      return false;
    }
    if (end.integers) {
      auto normal = NormalInteger(id);
      if (!normal) {
        s->reason = "the id '" + std::string(id) + "' is not an integer";
        return false;
      }
      if (*normal != id) id = s->texts.emplace_back(*std::move(normal));
    }
    if (id.data() == s->unquoted.data()) id = s->texts.emplace_back(id);
    *out = id;
    return true;
  }

  // Into last_type: the column's, or where it is empty the file's.
  bool TakeType(Scratch* s, const CsvRow& row) {
    std::string_view text =
        type_column_ < 0 ? std::string_view() : FieldText(s->batch, row, static_cast<size_t>(type_column_), &s->unquoted);
    if (text.empty()) text = files_.name;
    if (text.empty()) {
      s->reason = "the relationship has no type";
      return false;
    }
    if (s->last_type.valid() && text == s->last_type_text) return true;
    s->last_type_text = text;
    auto found = s->type_ids.find(s->last_type_text);
    if (found == s->type_ids.end()) {
      s->last_type = TypeId();
      Result<TypeId> type = IsUtf8(text) ? job_->loader().tokens().types.Intern(text) : Status(Code::kArgumentError, "the type isn't UTF-8");
      if (!type.ok()) {
        s->reason = type.status().message();
        return false;
      }
      found = s->type_ids.emplace(s->last_type_text, *type).first;
    }
    s->last_type = found->second;
    return true;
  }

  Status Add(Scratch* s, storage::RunSorter::Writer* writer) {
    const size_t n = s->rows.size();
    s->start_nodes.resize(n);
    s->end_nodes.resize(n);
    start_.ids->Find(s->starts, s->start_nodes.data());
    end_.ids->Find(s->ends, s->end_nodes.data());
    uint64_t added = 0;
    for (size_t i = 0; i < n; ++i) {
      if (s->start_nodes[i] == IdMap::kNone || s->end_nodes[i] == IdMap::kNone) {
        RETURN_IF_ERROR(Unknown(*s, i));
        continue;
      }
      const auto row = s->bytes.bytes().subspan(s->begins[i], s->begins[i + 1] - s->begins[i]);
      RETURN_IF_ERROR(writer->Add(storage::RelationshipKey(s->types[i], s->start_nodes[i], s->end_nodes[i], s->first_row + s->rows[i]), row));
      ++added;
    }
    job_->CountRelationships(added);
    return Status::Ok();
  }

  Status Unknown(const Scratch& s, size_t i) {
    const CsvRow& row = s.batch.rows()[s.rows[i]];
    const bool start = s.start_nodes[i] == IdMap::kNone;
    const std::string& space = columns_[start ? start_.column : end_.column].space;
    const std::string reason = std::string("there is no node with the id '") + std::string(start ? s.starts[i] : s.ends[i]) + "'" +
                               (space.empty() ? "" : " in the id space " + space) + ", the relationship's " + (start ? "start" : "end");
    if (job_->options().skip_bad_relationships) return job_->bad().Add(s.batch, row, reason);
    return Status(Code::kArgumentError, WhereIs(s.batch, row) + ": " + reason + "; skip-bad-relationships puts such rows aside");
  }

  ImportJob* const job_;
  const ImportFiles& files_;
  std::unique_ptr<CsvReader> reader_;
  std::vector<CsvColumn> columns_;
  End start_, end_;
  int type_column_ = -1;
  RowMaker maker_;
  ImportJob::Turns turns_;
};

}  // namespace

Status ReadRelationshipFiles(ImportJob* job, const ImportFiles& files) { return RelationshipFiles(job, files).Run(); }

}  // namespace fornix::engine
