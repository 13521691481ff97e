// Taking retired slots out of the graph. After
//   A. Singh et al.: FreshDiskANN: A fast and accurate graph-based ANN index for streaming similarity search. 2021
//   (arXiv 2105.09613), algorithm 4
// a list that held retired slots gets, in their places, what those slots' own lists hold. Two changes:
//  - links between slots that stay are never dropped, so only ways through retired slots can be lost, and a slot to
//    which no other list leads any more is taken in wherever it is met;
//  - at the end the graph is walked, and what can't be reached is linked again.
//
// A slot's states:   live --Retire--> retired --Repair: no more a candidate--> swept --in no list--> freed --Reuse--> live
// A retired slot on which a chain of equal vectors hangs stays in the graph as their place until all of them are
// retired. Members of chains are in no list, so they are cut out at once.
//
// A Repair goes over all slots three times in slices, under repair_mutex_ alone; between slices linkers go on, which
// choose live slots only. Its walk and what it links again come in one slice, of about 0.1 s for a million slots.
#include <algorithm>

#include "vector/hnsw/hnsw.h"
#include "vector/validate.h"

namespace fornix::vector {
namespace {

constexpr uint32_t kSlice = 1024;   // slots
constexpr int kRelinkRounds = 4;    // linking one slot again may lead to others, or in rare cases strand some
constexpr uint64_t kNoEntry = ~uint64_t{0};

}  // namespace

void Hnsw::SetState(uint32_t slot, uint32_t from, uint32_t to) {
  uint32_t flags = Flags(slot).load(std::memory_order_relaxed);
  while (flags >> 1 == from && !Flags(slot).compare_exchange_weak(flags, (flags & 1) | to << 1, std::memory_order_acq_rel,
                                                                  std::memory_order_relaxed)) {
  }
}

void Hnsw::Retire(uint32_t slot) { SetState(slot, kLive, kRetired); }

bool Hnsw::Free(uint32_t slot) const { return StateOf(slot) == kFreed; }

template <typename Slice>
Status Hnsw::InSlices(FunctionRef<Status()> interrupt, const Slice& slice) {
  for (uint32_t first = 0; first < size(); first += kSlice) {
    if (interrupt) RETURN_IF_ERROR(interrupt());
    std::unique_lock lock(repair_mutex_);
    const uint32_t last = static_cast<uint32_t>(std::min<uint64_t>(size(), uint64_t{first} + kSlice));
    for (uint32_t slot = first; slot < last; ++slot) slice(slot);
  }
  return Status::Ok();
}

Result<RepairReport> Hnsw::Repair(SearchScratch* scratch, FunctionRef<Status()> interrupt) {
  RepairReport report;
  RETURN_IF_ERROR(InSlices(interrupt, [&](uint32_t slot) {
    if (meta_.Row(slot)->last_equal != 0) SweepChain(slot, &report);
  }));
  bool any = false;
  RETURN_IF_ERROR(InSlices(interrupt, [&](uint32_t slot) {
    if (StateOf(slot) == kRetired && meta_.Row(slot)->last_equal == 0 && (Flags(slot).load() & 1) != 0) ReleaseSlot(slot);
    any = any || StateOf(slot) == kSwept;
  }));
  {
    std::unique_lock lock(repair_mutex_);
    ReplaceEntry();
  }
  if (any) {
    RETURN_IF_ERROR(InSlices(interrupt, [&](uint32_t slot) {
      if (StateOf(slot) > kRetired) return;
      for (uint32_t layer = 0; layer <= LevelOf(slot); ++layer) report.mended += MendList(layer, slot, scratch);
    }));
  }
  {
    std::unique_lock lock(repair_mutex_);
    RelinkUnreachable(scratch, &report);
  }
  RETURN_IF_ERROR(InSlices(interrupt, [&](uint32_t slot) {
    if (StateOf(slot) != kSwept) return;
    if (InDegree(slot).load(std::memory_order_relaxed) != 0) {
      // A linker found no live slot and took this one; it counts again as one that holds links.
      LinkTable::Owner row(&base_, slot);
      for (uint32_t i = 0; i < row.count(); ++i) InDegree(row.at(i)).fetch_add(1, std::memory_order_relaxed);
      return SetState(slot, kSwept, kRetired);
    }
    for (uint32_t layer = 0; layer <= LevelOf(slot); ++layer) LinkTable::Owner(&TableOf(layer), RowOf(slot, layer)).Replace({});
    SetState(slot, kSwept, kFreed);
    ++report.freed;
  }));
  return report;
}

// Cuts retired members out of the chain that hangs on `head`. A searcher that stands on one still finds the next.
void Hnsw::SweepChain(uint32_t head, RepairReport* report) {
  LinkTable::Owner row(&base_, head);
  uint32_t last = head;
  for (uint32_t next = NextEqual(head).load(std::memory_order_relaxed); next != 0;) {
    const uint32_t member = next - 1;
    next = NextEqual(member).load(std::memory_order_relaxed);
    if (StateOf(member) == kRetired) {
      NextEqual(last).store(next, std::memory_order_release);
      SetState(member, kRetired, kFreed);
      ++report->freed;
    } else {
      last = member;
    }
  }
  meta_.Row(head)->last_equal = last == head ? 0 : last + 1;
}

// Its list stays, for searchers and for MendList, but no longer counts as one that holds others.
void Hnsw::ReleaseSlot(uint32_t slot) {
  LinkTable::Owner row(&base_, slot);
  for (uint32_t i = 0; i < row.count(); ++i) InDegree(row.at(i)).fetch_sub(1, std::memory_order_relaxed);
  SetState(slot, kRetired, kSwept);
}

// If the entry point goes: the slot of the highest level among those that stay and have a list takes its place.
void Hnsw::ReplaceEntry() {
  std::lock_guard raise(entry_mutex_);
  Entry entry;
  if (!LoadEntry(&entry) || StateOf(entry.slot) <= kRetired) return;
  bool found = false;
  Entry best{0, 0};
  std::vector<uint32_t> links(base_.degree_max());
  for (uint32_t slot = 0; slot < size(); ++slot) {
    if (StateOf(slot) > kRetired || (found && LevelOf(slot) <= best.level)) continue;
    bool marked = false;
    // A member of a chain has no list, and no slot of its own in the graph.
    if (base_.Read(slot, links.data(), &marked) == 0 && !marked) continue;
    best = {slot, LevelOf(slot)};
    found = true;
  }
  // Everything in the graph was retired; whatever is linked next begins it anew.
  if (!found) return entry_.store(kNoEntry, std::memory_order_release);
  StoreEntry(best);
}

// If the list holds swept slots. True if it was changed.
bool Hnsw::MendList(uint32_t layer, uint32_t owner, SearchScratch* scratch) {
  LinkTable& table = TableOf(layer);
  LinkTable::Owner row(&table, RowOf(owner, layer));
  std::vector<uint32_t>& old = scratch->links;
  std::vector<uint32_t>& fresh = scratch->fresh;  // those that stay, then what may take the others' places
  old.clear();
  fresh.clear();
  for (uint32_t i = 0; i < row.count(); ++i) old.push_back(row.at(i));
  scratch->visited.Begin(size());
  scratch->visited.Insert(owner);
  for (uint32_t s : old) {
    if (StateOf(s) <= kRetired && scratch->visited.Insert(s)) fresh.push_back(s);
  }
  const size_t staying = fresh.size();
  if (staying == old.size()) return false;
  scratch->far_links.resize(table.degree_max());
  for (uint32_t s : old) {
    if (StateOf(s) <= kRetired) continue;
    bool marked = false;
    const uint32_t count = table.Read(RowOf(s, layer), scratch->far_links.data(), &marked);
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t behind = scratch->far_links[i];
      if (StateOf(behind) == kLive && scratch->visited.Insert(behind)) fresh.push_back(behind);
    }
  }
  scratch->distances.resize(fresh.size());
  fine().PrepareRow(owner, &scratch->row);
  fine().Distances(scratch->row, fresh, scratch->distances.data());
  std::vector<Hit>& chosen = scratch->chosen;
  std::vector<Hit>& candidates = scratch->candidates;
  std::vector<uint32_t>& slots = scratch->chosen_slots;
  chosen.clear();
  candidates.clear();
  slots.clear();
  for (size_t i = 0; i < fresh.size(); ++i) {
    (i < staying ? chosen : candidates).push_back({scratch->distances[i], fresh[i]});
    if (i < staying) slots.push_back(fresh[i]);
  }
  std::sort(candidates.begin(), candidates.end());
  const size_t fill = std::max<size_t>(1, FillOf(layer));
  for (const Hit& candidate : candidates) {
    if (chosen.size() == table.degree_max()) break;
    bool take = chosen.size() < fill || (layer == 0 && InDegree(candidate.slot).load(std::memory_order_relaxed) == 0);
    if (!take && chosen.size() < old.size()) {
      fine().PrepareRow(candidate.slot, &scratch->row);
      scratch->distances.resize(slots.size());
      fine().Distances(scratch->row, slots, scratch->distances.data());
      take = std::all_of(scratch->distances.begin(), scratch->distances.end(), [&](float d) { return candidate.distance < d; });
    }
    if (!take) continue;
    chosen.push_back(candidate);
    slots.push_back(candidate.slot);
  }
  std::sort(chosen.begin(), chosen.end());
  ReplaceList(&row, layer, old, scratch);
  return true;
}

void Hnsw::RelinkUnreachable(SearchScratch* scratch, RepairReport* report) {
  for (int round = 0; round < kRelinkRounds; ++round) {
    Entry entry;
    if (!LoadEntry(&entry)) return;
    std::vector<bool> seen = WalkFrom(entry);
    // What hangs on a chain comes back with its place; linked by itself it would be hung on its own chain again, and make it a ring.
    for (uint32_t slot = 0; slot < seen.size(); ++slot) {
      if (meta_.Row(slot)->last_equal == 0) continue;
      for (uint32_t next = NextEqual(slot).load(std::memory_order_relaxed); next != 0; next = NextEqual(next - 1).load(std::memory_order_relaxed)) {
        seen[next - 1] = true;
      }
    }
    bool any = false;
    for (uint32_t slot = 0; slot < seen.size(); ++slot) {
      if (seen[slot] || (Flags(slot).load(std::memory_order_relaxed) & 1) == 0) continue;
      if (StateOf(slot) == kRetired && meta_.Row(slot)->last_equal != 0) {
        // The place of a chain: it must be linked like a live one.
        SetState(slot, kRetired, kLive);
        LinkSlot(slot, scratch, /*again=*/true);
        SetState(slot, kLive, kRetired);
      } else if (StateOf(slot) == kLive) {
        LinkSlot(slot, scratch, /*again=*/true);
      } else {
        continue;
      }
      ++report->relinked;
      any = true;
    }
    if (!any) return;
  }
}

Status Hnsw::Reuse(uint32_t slot, std::span<const float> v, SearchScratch* scratch) {
  RETURN_IF_ERROR(ValidateVector(v, options_.dimensions, options_.metric));
  std::shared_lock repair(repair_mutex_);
  {
    std::lock_guard lock(store_mutex_);
    if (slot >= size() || StateOf(slot) != kFreed) {
      return Status(Code::kInternal, "vector slot " + std::to_string(slot) + " reused before it was freed");
    }
    codes_.quantizer().projection().Apply(v, &projected_);
    if (fine_ != nullptr) fine_->Overwrite(slot, projected_);
    codes_.Overwrite(slot, projected_);
    SlotMeta* meta = meta_.Row(slot);
    NextEqual(slot).store(0, std::memory_order_relaxed);
    meta->last_equal = 0;
    SetState(slot, kFreed, kLive);
  }
  try {
    LinkSlot(slot, scratch);
  } catch (...) {
    Retire(slot);  // lists may hold it already; the next Repair frees it again
    throw;
  }
  return Status::Ok();
}

}  // namespace fornix::vector
