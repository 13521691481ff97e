// Files of nodes: rows are made by all workers, ids are given out in the order of the files, whoever made the rows.
#include <algorithm>
#include <deque>
#include <unordered_map>

#include "base/utf8.h"
#include "engine/import/row_maker.h"

namespace fornix::engine {
namespace {

class NodeFiles {
 public:
  NodeFiles(ImportJob* job, const ImportFiles& files) : job_(job), files_(files) {}

  Status Run() {
    ASSIGN_OR_RETURN(reader_, CsvReader::Open(job_->files(), files_.paths, job_->format()));
    ASSIGN_OR_RETURN(columns_, ParseCsvHeader(reader_->header(), true, reader_->header_file()));
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].role == ColumnRole::kId) id_column_ = static_cast<int>(i);
      if (columns_[i].role == ColumnRole::kLabels) label_column_ = static_cast<int>(i);
    }
    if (id_column_ >= 0) {
      const CsvColumn& column = columns_[static_cast<size_t>(id_column_)];
      ids_ = job_->Ids(column.space);
      integer_ids_ = HasIntegerIds(column, job_->options());
    }
    ASSIGN_OR_RETURN(maker_, RowMaker::Make(job_, columns_));
    RETURN_IF_ERROR(job_->RunWorkers([this](int) { return Work(); }, &turns_));
    return Status::Ok();
  }

 private:
  struct Prepared {
    uint32_t row;                              // in the batch
    std::string_view id;
    const storage::LabelSet* labels;
    uint32_t begin, end;                       // of its bytes
  };
  // Of one worker.
  struct Scratch {
    CsvBatch batch;
    uint64_t first_row = 0;
    storage::RowBytes bytes;
    std::vector<Prepared> rows;
    std::deque<std::string> texts;             // ids that aren't in the batch as they are
    std::unordered_map<std::string, const storage::LabelSet*> label_sets;
    std::string unquoted, reason;
    const storage::LabelSet* last_labels = nullptr;
    std::string last_label_text;
  };

  Status Work() {
    Scratch scratch;
    while (!turns_.failed()) {
      ASSIGN_OR_RETURN(const bool more, job_->NextBatch(reader_.get(), &scratch.batch, ImportStage::kNodes, &scratch.first_row));
      if (!more) break;
      RETURN_IF_ERROR(Prepare(&scratch));
      const uint64_t number = scratch.batch.number();
      turns_.Await(number);
      if (turns_.failed()) break;
      RETURN_IF_ERROR(Add(scratch));
      turns_.Done(number);
    }
    return Status::Ok();
  }

  Status Prepare(Scratch* s) {
    s->bytes.Clear();
    s->rows.clear();
    s->texts.clear();
    for (uint32_t i = 0; i < s->batch.rows().size(); ++i) {
      const CsvRow& row = s->batch.rows()[i];
      const size_t begin = s->bytes.size();
      if (!maker_.Make(s->batch, row, &s->unquoted, &s->bytes, &s->reason) || !TakeId(s, row, i)) {
        s->bytes.CutTo(begin);
        RETURN_IF_ERROR(job_->bad().Add(s->batch, row, s->reason));
        continue;
      }
      Prepared& prepared = s->rows.back();
      prepared.begin = static_cast<uint32_t>(begin);
      prepared.end = static_cast<uint32_t>(s->bytes.size());
      ASSIGN_OR_RETURN(prepared.labels, Labels(s, row));
      if (prepared.labels == nullptr) {
        s->bytes.CutTo(begin);
        s->rows.pop_back();
        RETURN_IF_ERROR(job_->bad().Add(s->batch, row, "a label isn't UTF-8"));
      }
    }
    return Status::Ok();
  }

  bool TakeId(Scratch* s, const CsvRow& row, uint32_t index) {
    std::string_view id;
    if (id_column_ >= 0) {
      id = FieldText(s->batch, row, static_cast<size_t>(id_column_), &s->unquoted);
      if (id.empty()) {
        s->reason = "the node has no id";
        return false;
      }
      if (integer_ids_) {
        auto normal = NormalInteger(id);
        if (!normal) {
          s->reason = "the id '" + std::string(id) + "' is not an integer";
          return false;
        }
        if (*normal != id) id = s->texts.emplace_back(*std::move(normal));
      }
      if (id.data() == s->unquoted.data()) id = s->texts.emplace_back(id);
    }
    s->rows.push_back({index, id, nullptr, 0, 0});
    return true;
  }

  // Those of the file and those of the column; null if a name can't be one.
  Result<const storage::LabelSet*> Labels(Scratch* s, const CsvRow& row) {
    const std::string_view text =
        label_column_ < 0 ? std::string_view() : FieldText(s->batch, row, static_cast<size_t>(label_column_), &s->unquoted);
    if (s->last_labels != nullptr && text == s->last_label_text) return s->last_labels;
    s->last_label_text = text;
    auto found = s->label_sets.find(s->last_label_text);
    if (found == s->label_sets.end()) {
      if (!IsUtf8(text)) {
        s->last_labels = nullptr;
        return s->last_labels;
      }
      std::vector<LabelId> labels;
      RETURN_IF_ERROR(Intern(files_.name, ':', &labels));
      RETURN_IF_ERROR(Intern(text, job_->options().array_delimiter, &labels));
      std::sort(labels.begin(), labels.end());
      labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
      found = s->label_sets.emplace(s->last_label_text, job_->loader().label_sets().Intern(labels)).first;
    }
    s->last_labels = found->second;
    return s->last_labels;
  }

  Status Intern(std::string_view text, char delimiter, std::vector<LabelId>* out) {
    while (!text.empty()) {
      const size_t end = std::min(text.find(delimiter), text.size());
      if (end > 0) {
        ASSIGN_OR_RETURN(const LabelId label, job_->loader().tokens().labels.Intern(text.substr(0, end)));
        out->push_back(label);
      }
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return Status::Ok();
  }

  // In turn.
  Status Add(const Scratch& s) {
    storage::BulkLoader& loader = job_->loader();
    for (const Prepared& row : s.rows) {
      if (ids_ != nullptr) {
        ASSIGN_OR_RETURN(const bool is_new, ids_->Insert(row.id, loader.PeekNode(row.labels)));
        if (!is_new) {
          RETURN_IF_ERROR(Duplicate(s, row));
          continue;
        }
      }
      RETURN_IF_ERROR(loader.AddNode(row.labels, s.bytes.bytes().subspan(row.begin, row.end - row.begin)).status());
    }
    return Status::Ok();
  }

  Status Duplicate(const Scratch& s, const Prepared& prepared) {
    const CsvRow& row = s.batch.rows()[prepared.row];
    const std::string& space = columns_[static_cast<size_t>(id_column_)].space;
    const std::string reason = "the id '" + std::string(prepared.id) + "'" + (space.empty() ? "" : " of the id space " + space) + " came before";
    if (job_->options().skip_duplicate_nodes) return job_->bad().Add(s.batch, row, reason);
    return Status(Code::kArgumentError, WhereIs(s.batch, row) + ": " + reason + "; skip-duplicate-nodes puts such rows aside");
  }

  ImportJob* const job_;
  const ImportFiles& files_;
  std::unique_ptr<CsvReader> reader_;
  std::vector<CsvColumn> columns_;
  int id_column_ = -1, label_column_ = -1;
  IdMap* ids_ = nullptr;
  bool integer_ids_ = false;
  RowMaker maker_;
  ImportJob::Turns turns_;
};

}  // namespace

Status ReadNodeFiles(ImportJob* job, const ImportFiles& files) { return NodeFiles(job, files).Run(); }

}  // namespace fornix::engine
