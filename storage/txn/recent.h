// RecentCommits: which nodes the latest commits gave a label to, or changed while they had it; per label, in commit
// order. A commit that relied on a pattern not being there (MERGE) looks through what came after its snapshot.
//
// Short by construction: a list is trimmed below the floor whenever it grows, and cut at kRecentCommitsMax entries. Who is older
// than the cut can't be answered, and is told so (Covers). Entries are added before the log append, because they need
// memory; one too many (of a commit that failed then) only costs a look at the node.
// Threads: under the sequencer's mutex.
#pragma once

#include <deque>
#include <unordered_map>

#include "base/ids.h"
#include "base/limits.h"

namespace fornix::storage {

class RecentCommits {
 public:
  struct Item {
    Timestamp ts;
    NodeId node;
  };
  // `label` invalid: the list of all nodes.
  void Add(LabelId label, NodeId node, Timestamp ts, Timestamp floor) {
    Queue* queue = label.valid() ? &labels_[label] : &any_;
    while (!queue->items.empty() && queue->items.front().ts <= floor) queue->items.pop_front();
    queue->items.push_back({ts, node});
    if (queue->items.size() > kRecentCommitsMax) {
      queue->cut = queue->items.front().ts;
      queue->items.pop_front();
    }
  }
  // Visits nodes of commits after `snapshot` until visit returns false. `label` invalid: of any label.
  template <typename Visit>
  void VisitAfter(LabelId label, Timestamp snapshot, Visit&& visit) const {
    const Queue* queue = Find(label);
    if (queue == nullptr) return;
    for (auto it = queue->items.rbegin(); it != queue->items.rend() && it->ts > snapshot; ++it) {
      if (!visit(*it)) return;
    }
  }
  // False if the list no longer reaches back to the snapshot.
  bool Covers(LabelId label, Timestamp snapshot) const {
    const Queue* queue = Find(label);
    return queue == nullptr || queue->cut <= snapshot;
  }

 private:
  struct Queue {
    std::deque<Item> items;
    Timestamp cut = 0;                         // items up to here are gone although someone may ask
  };
  const Queue* Find(LabelId label) const {
    if (!label.valid()) return &any_;
    auto it = labels_.find(label);
    return it == labels_.end() ? nullptr : &it->second;
  }
  Queue any_;
  std::unordered_map<LabelId, Queue> labels_;
};

}  // namespace fornix::storage
