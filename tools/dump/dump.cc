#include "tools/dump/dump.h"

#include <nlohmann/json.hpp>

#include "base/memory_budget.h"
#include "base/read_failure.h"
#include "storage/base/base_writer.h"
#include "storage/check/catalog_content.h"
#include "storage/check/space_map.h"
#include "storage/checkpoint/catalog.h"
#include "storage/page/root_slots.h"
#include "tools/shell/json.h"
#include "wal/describe.h"

namespace fornix::tools {
namespace {

using Json = nlohmann::ordered_json;
using namespace fornix::storage;

Json ExtentJson(const ExtentRef& ref) {
  if (ref.none()) return nullptr;
  return Json{{"page", ref.page}, {"pages", ref.pages}, {"seq", ref.seq}};
}

Json RootJson(const Result<Root>& root) {
  if (!root.ok()) return Json{{"damaged", root.status().message()}};
  return Json{{"uuid", root->uuid.ToString()}, {"seq", root->seq}, {"closed", root->closed}, {"checkpoint_timestamp", root->checkpoint_ts},
              {"log", {{"generation", root->log.generation}, {"segment", root->log.segment}, {"lsn", root->log.lsn}}},
              {"clean_end_lsn", root->clean_end_lsn}, {"catalog", ExtentJson(root->catalog)}, {"free_map", ExtentJson(root->free_map)},
              {"file_pages", root->file_pages}, {"next_node_id", root->next_node_id}, {"next_relationship_id", root->next_rel_id},
              {"next_timestamp", root->next_timestamp}};
}

class Dumper {
 public:
  Dumper(FileSystem& files, const std::string& path) : files_(files), path_(path), budget_(uint64_t{128} << 20), cache_(&budget_) {}

  Json Run() {
    out_["file"] = path_;
    if (auto file = files_.Open(path_, {}); file.ok()) {
      if (auto size = (*file)->Size(); size.ok()) out_["bytes"] = *size;
    }
    const std::vector<Result<Root>> roots = RootSlots::ReadEach(files_, path_);
    out_["roots"] = Json::array();
    const Root* newest = nullptr;
    for (const Result<Root>& root : roots) {
      out_["roots"].push_back(RootJson(root));
      if (root.ok() && (newest == nullptr || root->seq > newest->seq)) newest = &*root;
    }
    if (newest != nullptr && !newest->catalog.none()) Base(*newest);
    return out_;
  }

 private:
  void Base(const Root& root) {
    auto file = files_.Open(path_, {});
    if (!file.ok()) return;
    extents_ = ExtentFile::Open(std::move(*file), root.free_map, root.file_pages);
    SpaceMap space(root.file_pages, [](std::string) {});
    Json problems = Json::array();
    FreeMap(&space);
    std::vector<ExtentRef> links;
    const auto catalog = ReadCatalog(*extents_, root.catalog, &links);
    for (const ExtentRef& link : links) space.Reach(link, ExtentKind::kCatalog);
    if (!catalog.ok()) {
      out_["catalog"] = {{"damaged", catalog.status().message()}};
      return;
    }
    const auto content = CatalogContent::Of(catalog->record, path_ + " catalog");
    if (content.ok()) Catalog(*content);
    else out_["catalog"] = {{"damaged", content.status().message()}};
    out_["base"] = {{"timestamp", catalog->base.timestamp}, {"nodes", catalog->base.nodes}, {"relationships", catalog->base.relationships},
                    {"node_directory", ExtentJson(catalog->base.node_directory)}, {"relationship_directory", ExtentJson(catalog->base.rel_directory)},
                    {"token_lists", ExtentJson(catalog->base.token_lists)}};
    Chunks(*catalog, &space, &problems);
    Trees(*catalog, content.ok() ? &*content : nullptr, &space, &problems);
    Json kinds = Json::object();
    for (size_t kind = 0; kind < space.kinds().size(); ++kind) {
      const SpaceMap::Kind& k = space.kinds()[kind];
      if (k.extents > 0) kinds[ExtentKindName(static_cast<ExtentKind>(kind))] = {{"extents", k.extents}, {"pages", k.pages}, {"bytes", k.pages * kPageBytes}};
    }
    out_["extents"] = kinds;
    out_["problems"] = problems;
  }

  void FreeMap(SpaceMap* space) {
    const auto ranges = extents_->FreeRanges();
    const auto own = extents_->FreeMapExtents();
    if (!ranges.ok()) {
      out_["free"] = {{"damaged", ranges.status().message()}};
      return;
    }
    uint64_t pages = 0, largest = 0;
    for (const auto& [first, n] : *ranges) {
      pages += n;
      largest = std::max<uint64_t>(largest, n);
    }
    out_["free"] = {{"ranges", ranges->size()}, {"pages", pages}, {"largest_range", largest}};
    if (own.ok()) {
      for (const ExtentRef& ref : *own) space->Reach(ref, ExtentKind::kFreeMap);
    }
  }

  void Catalog(const CatalogContent& content) {
    Json json = {{"labels", content.labels.size()}, {"types", content.types.size()}, {"property_keys", content.properties.size()},
                 {"schema_epoch", content.schema.epoch}, {"indexes", content.schema.indexes.size()}, {"constraints", content.schema.constraints.size()},
                 {"graph_type", content.schema.graph_type.declared}, {"node_chunks", content.ids.node_chunks},
                 {"relationship_chunks", content.ids.relationship_chunks}, {"label_sets", content.ids.node_sets.size()}};
    out_["catalog"] = json;
  }

  void Chunks(const StoredCatalog& catalog, SpaceMap* space, Json* problems) {
    uint64_t node_chunks = 0, rel_chunks = 0;
    BaseCheck check;
    check.extent = [&](const ExtentRef& ref, ExtentKind kind, uint64_t owner) {
      space->Reach(ref, kind);
      if (kind == ExtentKind::kChunk) ++(owner >> 60 == static_cast<uint64_t>(OwnerSpace::kNodeChunk) ? node_chunks : rel_chunks);
      return Status::Ok();
    };
    check.problem = [&](std::string text) { Problem(std::move(text), problems); };
    if (const Status status = CheckBase({extents_.get(), &cache_, &label_sets_}, catalog.base, check); !status.ok()) Problem(status.message(), problems);
    auto each = [](uint64_t elements, uint64_t chunks) { return chunks == 0 ? 0.0 : static_cast<double>(elements) / static_cast<double>(chunks); };
    out_["chunks"] = {{"node_chunks", node_chunks}, {"nodes_a_chunk", each(catalog.base.nodes, node_chunks)}, {"relationship_chunks", rel_chunks},
                      {"relationships_a_chunk", each(catalog.base.relationships, rel_chunks)}};
  }

  void Trees(const StoredCatalog& catalog, const CatalogContent* content, SpaceMap* space, Json* problems) {
    Json out = Json::array();
    for (const auto& [id, root] : catalog.base.trees) {
      const IndexDefinition* definition = content == nullptr ? nullptr : content->schema.FindIndex(IndexId(id));
      uint64_t extents = 0, pages = 0;
      Status status;
      try {
        EpochGuard guard;
        status = IndexTree(extents_.get(), &cache_, IndexId(id), root).Check([&](const ExtentRef& ref) {
          ++extents;
          pages += ref.pages;
          space->Reach(ref, ref == root.root && root.height > 1 ? ExtentKind::kTreeInner : ExtentKind::kTreeLeaf);
          return Status::Ok();
        });
      } catch (const ReadFailure& failure) {
        status = failure.status();
      }
      if (!status.ok()) Problem("index " + std::to_string(id) + ": " + status.message(), problems);
      out.push_back({{"id", id}, {"name", definition == nullptr ? Json(nullptr) : Json(definition->name)}, {"entries", root.entries},
                     {"distinct", root.distinct}, {"height", root.height}, {"extents", extents}, {"pages", pages}});
    }
    out_["range_indexes"] = out;
  }

  static void Problem(std::string text, Json* problems) {
    if (problems->size() < 20) problems->push_back(std::move(text));
    else if (problems->size() == 20) problems->push_back("and more: see `fornix check`");
  }

  FileSystem& files_;
  const std::string& path_;
  MemoryBudget budget_;
  LabelSets label_sets_;
  std::unique_ptr<ExtentFile> extents_;
  FrameCache cache_;
  Json out_;
};

bool Small(const Json& value) { return !value.is_structured() || value.empty(); }

// As indented lines; what fits is put on one.
void Print(const Json& value, const std::string& name, int depth, std::string* out) {
  const std::string indent(static_cast<size_t>(depth) * 2, ' ');
  if (Small(value)) {
    *out += indent + name + ": " + (value.is_string() ? value.get<std::string>() : value.empty() && value.is_structured() ? "none" : shell::Dump(value)) + "\n";
    return;
  }
  if (value.is_object() && std::all_of(value.begin(), value.end(), Small)) {
    std::string line;
    for (const auto& [key, item] : value.items()) {
      line += (line.empty() ? "" : ", ") + key + " " + (item.is_string() ? item.get<std::string>() : shell::Dump(item));
    }
    *out += indent + name + ": " + line + "\n";
    return;
  }
  *out += indent + name + "\n";
  size_t number = 0;
  for (const auto& [key, item] : value.items()) {
    if (value.is_array() && item.is_string()) *out += indent + "  " + item.get<std::string>() + "\n";
    else Print(item, value.is_array() ? std::to_string(number) : key, depth + 1, out);
    ++number;
  }
}

}  // namespace

std::string DumpFile(FileSystem& files, const std::string& path, bool json) {
  const Json out = Dumper(files, path).Run();
  if (json) return shell::Dump(out) + "\n";
  std::string text;
  for (const auto& [key, value] : out.items()) Print(value, key, 0, &text);
  return text;
}

int RunDump(const DumpCommand& command) {
  FileSystem& files = PosixFileSystem();
  const auto kind = files.Kind(command.file);
  if (!kind.ok() || *kind != FileKind::kFile) {
    std::fprintf(stderr, "%s: there is no such file\n", command.file.c_str());
    return 1;
  }
  if (command.log) {
    const Result<std::string> text = wal::DescribeLog(files, command.file + "-log");
    if (!text.ok()) {
      std::fprintf(stderr, "%s\n", text.status().ToString().c_str());
      return 1;
    }
    if (command.json) std::printf("%s\n", shell::Dump(Json{{"log", *text}}).c_str());
    else std::fputs(text->c_str(), stdout);
    return 0;
  }
  std::fputs(DumpFile(files, command.file, command.json).c_str(), stdout);
  return 0;
}

}  // namespace fornix::tools
