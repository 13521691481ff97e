#include "storage/compact.h"

#include "base/limits.h"
#include "storage/graph/overlay.h"
#include "storage/txn/log_record.h"

namespace fornix::storage {
Status WriteCompactRecords(StoreState* store, const std::function<Status(std::vector<std::byte> record)>& write) {
  const Timestamp ts = store->sequencer.last();
  const WriteSet none;
  const Overlay head(*store->generations.current(), ts, &none);
  LoggedTokens logged;                         // of the new generation, which begins with no name
  auto writer = std::make_unique<RecordWriter>(store->tokens, logged);
  auto end_record = [&]() -> Status {
    if (writer->size() == 0) return Status::Ok();
    Status status = write(writer->Finish(ts));
    writer->MarkLogged(&logged);
    writer = std::make_unique<RecordWriter>(store->tokens, logged);
    return status;
  };
  Status status;
  PropertyList properties;
  head.VisitNodes(std::nullopt, 0, [&](NodeId id) {
    head.Properties(id, &properties);
    writer->CreateNode(id, head.LabelsOf(id).labels, properties);
    if (writer->size() >= kCompactRecordBytes) status = end_record();
    return status.ok();
  });
  RETURN_IF_ERROR(status);
  head.VisitRelationships(std::nullopt, 0, [&](RelId id) {
    head.Properties(id, &properties);
    writer->CreateRelationship(id, *head.EndsOf(id), properties);
    if (writer->size() >= kCompactRecordBytes) status = end_record();
    return status.ok();
  });
  RETURN_IF_ERROR(status);
  RETURN_IF_ERROR(end_record());
  // The schema comes after the data, so that indexes are filled once and sorted.
  writer->Schema(*store->schemas.newest()->version);
  writer->Ids(store->ids.Save());
  return end_record();
}

}  // namespace fornix::storage
