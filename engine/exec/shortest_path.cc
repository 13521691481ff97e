// ShortestPath: one or all shortest paths between two bound nodes.
//
// Breadth first from both ends, level by level, always the end with the smaller frontier next: about 2 x d^(L/2) nodes
// are met instead of d^L. The first level at which the two sides touch gives the length L; every node where they touch
// then lies on a shortest path, and the predecessors kept by each side spell the paths out.
//
// From a node back to itself (SHORTEST before a pattern, not shortestPath()) each first relationship is tried: the way on is a shortest
// path from its other end that doesn't use it again.
//
// Several paths, and those of a least length (SHORTEST k, a lower bound above 1): the distance of every node to the end is found first, then
// ways that use no relationship twice, those first that can be at the end soonest. So they arrive by length, and few lead astray.
#include <algorithm>
#include <unordered_map>

#include "engine/exec/leaf.h"
#include "engine/exec/operators.h"
#include "engine/exec/pass_rows.h"
#include "engine/exec/traversal.h"

namespace fornix::engine {
namespace {

constexpr size_t kNeighboursAtOnce = 8192;
constexpr size_t kVisitBytes = 128;      // an entry of the map, its first step and what malloc adds to both

class ShortestPathOperator : public Operator {
 public:
  ShortestPathOperator(Builder& builder, const PhysicalOperator& plan)
      : Operator(builder, plan),
        child_(builder.Build(*plan.children[0])),
        predicate_(builder.CompileOptional(plan.predicate)),
        types_(plan.types),
        direction_(StorageDirection(plan.direction)),
        sizer_(builder.context().fixed_batch_rows()) {}

 protected:
  Status DoOpen() override {
    sizer_.Reset();
    Prepare(context_, &in_);
    Prepare(context_, &step_);
    row_ = 0;
    paths_.clear();
    next_path_ = 0;
    return child_->Open();
  }

  Status DoNext(Batch* out) override {
    out->Clear();
    const size_t want = sizer_.Next();
    out_rows_.clear();
    while (out_rows_.size() < want) {
      if (next_path_ < paths_.size()) {
        List list;
        for (RelId r : paths_[next_path_++]) list.push_back(Value::RelationshipRef(r.value));
        if (plan_.reverse_list) std::reverse(list.begin(), list.end());
        if (plan_.relationship != kNoSlot) out->column(plan_.relationship).Append(Value(std::move(list)));
        out_rows_.push_back(static_cast<uint32_t>(row_ - 1));
        continue;
      }
      if (row_ >= in_.rows()) {
        if (!out_rows_.empty()) break;
        RETURN_IF_ERROR(child_->Next(&in_));
        row_ = 0;
        if (in_.empty()) return Status::Ok();
        types_.Resolve(context_.tokens());
      }
      RETURN_IF_ERROR(Search());
      row_++;
    }
    PassRows(live_, in_, out_rows_, out);
    return Status::Ok();
  }

 private:
  struct Step {
    RelId relationship;
    NodeId before;             // the node nearer to the side's root
  };
  struct Visit {
    uint32_t depth = 0;
    std::vector<Step> steps;   // all that reach the node at this depth
  };
  struct Side {
    std::unordered_map<uint64_t, Visit> visits;
    std::vector<NodeId> frontier;
    uint32_t depth = 0;
    void Start(NodeId root) {
      visits.clear();
      visits[root.value] = {};
      frontier.assign(1, root);
      depth = 0;
    }
  };

  Status Search() {
    paths_.clear();
    next_path_ = 0;
    ReleaseAll();
    ASSIGN_OR_RETURN(const std::optional<NodeId> from, NodeAt(context_, in_, plan_.from, row_));
    ASSIGN_OR_RETURN(const std::optional<NodeId> to, NodeAt(context_, in_, plan_.to, row_));
    if (!from || !to) return Status::Ok();
    if (!plan_.expand_into && (plan_.paths_max > 1 || plan_.hops_min > 1)) return SearchSeveral(*from, *to);
    if (*from == *to && plan_.hops_min == 0) {
      paths_.emplace_back();
      return Status::Ok();
    }
    if (!types_.CanMatch() || (*from == *to && plan_.expand_into)) return Status::Ok();
    return *from == *to ? SearchClosed(*from) : SearchBetween(*from, *to, plan_.hops_max);
  }

  // Paths from `root` back to it, of the least length into paths_.
  Status SearchClosed(NodeId root) {
    RETURN_IF_ERROR(Gather(true, {&root, 1}));
    const std::vector<storage::Neighbour> first = neighbours_;
    std::vector<std::vector<RelId>> best;
    for (const storage::Neighbour& step : first) {
      // Longer ones than the best are of no use, nor as long ones if one is enough.
      const size_t most = best.empty() ? plan_.hops_max : best[0].size() - (plan_.all_shortest ? 0 : 1);
      paths_.clear();
      if (step.node == root && most >= 1) {
        paths_.emplace_back();
      } else if (step.node != root && most > 1) {
        without_ = step.relationship;
        const Status status = SearchBetween(step.node, root, static_cast<uint32_t>(most - 1));
        without_.reset();
        RETURN_IF_ERROR(status);
      }
      for (std::vector<RelId>& path : paths_) path.insert(path.begin(), step.relationship);
      if (paths_.empty()) continue;
      if (!best.empty() && paths_[0].size() < best[0].size()) best.clear();
      if (best.empty() || (plan_.all_shortest && paths_[0].size() == best[0].size())) {
        for (std::vector<RelId>& path : paths_) best.push_back(std::move(path));
      }
    }
    paths_ = std::move(best);
    return Status::Ok();
  }

  // A way from the start: the last relationship, and the place of the way before it.
  struct Trail {
    uint32_t before, length;
    RelId relationship;
    NodeId node;
  };
  // Places of trails, by the length that a path through them has at least.
  using Queue = std::vector<std::vector<uint32_t>>;

  Status SearchSeveral(NodeId from, NodeId to) {
    backward_.Start(to);
    while (types_.CanMatch() && !backward_.frontier.empty() && backward_.depth < plan_.hops_max) RETURN_IF_ERROR(Advance(false, &backward_));
    const auto start = backward_.visits.find(from.value);
    if (start == backward_.visits.end()) return Status::Ok();
    std::vector<Trail> trails{{0, 0, RelId(), from}};
    Queue queue(start->second.depth + 1);
    queue.back().push_back(0);
    uint32_t lengths = 0;
    for (size_t least = 0; least < queue.size(); ++least) {
      for (size_t steps = 0; !queue[least].empty(); ++steps) {
        if (steps % 64 == 0) RETURN_IF_ERROR(context_.CheckInterrupt());
        const uint32_t place = queue[least].back();
        queue[least].pop_back();
        const Trail trail = trails[place];
        if (trail.node == to && trail.length >= plan_.hops_min) {
          const bool longer = paths_.empty() || paths_.back().size() < trail.length;
          if (plan_.all_shortest && longer && ++lengths > plan_.paths_max) return Status::Ok();
          RETURN_IF_ERROR(AddPath(trails, place));
          if (!plan_.all_shortest && paths_.size() == plan_.paths_max) return Status::Ok();
        }
        if (trail.length < plan_.hops_max && types_.CanMatch()) RETURN_IF_ERROR(Lengthen(place, &trails, &queue));
      }
      std::vector<uint32_t>().swap(queue[least]);
    }
    return Status::Ok();
  }

  Status AddPath(const std::vector<Trail>& trails, uint32_t place) {
    RETURN_IF_ERROR(Charge(sizeof(std::vector<RelId>) + trails[place].length * sizeof(RelId)));
    paths_.emplace_back();
    for (; trails[place].length > 0; place = trails[place].before) paths_.back().push_back(trails[place].relationship);
    std::reverse(paths_.back().begin(), paths_.back().end());
    return Status::Ok();
  }

  // The ways that are one step longer than the one at `place` and can still come to the end in time.
  Status Lengthen(uint32_t place, std::vector<Trail>* trails, Queue* queue) {
    const Trail trail = (*trails)[place];
    const size_t degree = context_.view().Degree(trail.node, types_.ids(), direction_);
    const size_t hub_bytes = degree > kNeighboursAtOnce ? degree * 2 * (sizeof(storage::Neighbour) + sizeof(uint32_t)) : 0;
    RETURN_IF_ERROR(Charge(hub_bytes));
    RETURN_IF_ERROR(Gather(true, {&trail.node, 1}));
    size_t looked_at = 0;
    for (const storage::Neighbour& next : neighbours_) {
      if (++looked_at % kNeighboursAtOnce == 0) RETURN_IF_ERROR(context_.CheckInterrupt());
      const auto reaches = backward_.visits.find(next.node.value);
      if (reaches == backward_.visits.end() || plan_.hops_max - trail.length - 1 < reaches->second.depth) continue;
      bool used = false;
      for (uint32_t at = place; (*trails)[at].length > 0 && !used; at = (*trails)[at].before) used = (*trails)[at].relationship == next.relationship;
      if (used) continue;
      if (trails->size() >= UINT32_MAX) return Status(Code::kResourceExhausted, "too many ways between two nodes for SHORTEST to go on; bound the length");
      RETURN_IF_ERROR(Charge(2 * (sizeof(Trail) + sizeof(uint32_t))));
      const size_t least = trail.length + 1 + reaches->second.depth;
      if (least >= queue->size()) queue->resize(least + 1);
      (*queue)[least].push_back(static_cast<uint32_t>(trails->size()));
      trails->push_back({place, trail.length + 1, next.relationship, next.node});
    }
    if (hub_bytes > 0) {
      std::vector<storage::Neighbour>().swap(neighbours_);
      std::vector<uint32_t>().swap(parents_);
      Release(hub_bytes);
    }
    return Status::Ok();
  }

  Status SearchBetween(NodeId from, NodeId to, uint32_t hops_max) {
    forward_.Start(from);
    backward_.Start(to);
    while (!forward_.frontier.empty() && !backward_.frontier.empty() && forward_.depth + backward_.depth < hops_max) {
      const bool forward = forward_.frontier.size() <= backward_.frontier.size();
      Side& side = forward ? forward_ : backward_;
      const Side& other = forward ? backward_ : forward_;
      RETURN_IF_ERROR(Advance(forward, &side));
      std::vector<NodeId> meeting;
      for (NodeId n : side.frontier) {
        if (other.visits.count(n.value) != 0) meeting.push_back(n);
      }
      if (meeting.empty()) continue;
      if (forward_.depth + backward_.depth < plan_.hops_min) return Status::Ok();
      std::sort(meeting.begin(), meeting.end());
      return Spell(meeting);
    }
    return Status::Ok();
  }

  Status Advance(bool forward, Side* side) {
    side->depth++;
    std::vector<NodeId> next;
    const storage::Direction direction = forward ? direction_ : Reverse(direction_);
    size_t count = 0;
    for (size_t first = 0; first < side->frontier.size(); first += count) {
      RETURN_IF_ERROR(context_.CheckInterrupt());
      // Some thousand neighbours at a time, or all of one hub.
      size_t degrees = 0;
      for (count = 0; count < 64 && first + count < side->frontier.size() && degrees < kNeighboursAtOnce; count++) {
        degrees += context_.view().Degree(side->frontier[first + count], types_.ids(), direction);
      }
      const size_t batch_bytes = degrees > kNeighboursAtOnce ? degrees * 2 * (sizeof(storage::Neighbour) + sizeof(uint32_t)) : 0;
      RETURN_IF_ERROR(Charge(batch_bytes));
      RETURN_IF_ERROR(Gather(forward, {side->frontier.data() + first, count}));
      RETURN_IF_ERROR(Charge(neighbours_.size() * kVisitBytes));
      for (size_t i = 0; i < neighbours_.size(); i++) {
        const storage::Neighbour& n = neighbours_[i];
        auto [it, inserted] = side->visits.try_emplace(n.node.value);
        Visit& visit = it->second;
        if (inserted) {
          visit.depth = side->depth;
          next.push_back(n.node);
        }
        if (visit.depth != side->depth || (!inserted && !plan_.all_shortest)) continue;
        visit.steps.push_back({n.relationship, side->frontier[first + parents_[i]]});
      }
      if (batch_bytes > 0) {
        std::vector<storage::Neighbour>().swap(neighbours_);
        std::vector<uint32_t>().swap(parents_);
        Release(batch_bytes);
      }
    }
    side->frontier = std::move(next);
    return Status::Ok();
  }

  // The neighbours of a few nodes, thinned, into neighbours_ and parents_.
  Status Gather(bool forward, std::span<const NodeId> nodes) {
    parents_.clear();
    neighbours_.clear();
    context_.view().ExpandBatch(nodes, types_.ids(), forward ? direction_ : Reverse(direction_), &parents_, &neighbours_);
    CountHits(neighbours_.size());
    return Thin(forward, nodes);
  }

  // Drops neighbours that the step predicate or the other relationships of the MATCH refuse.
  Status Thin(bool forward, std::span<const NodeId> nodes) {
    if (predicate_ == nullptr && plan_.distinct_from.empty() && !without_) return Status::Ok();
    keep_.clear();
    if (predicate_ != nullptr && !neighbours_.empty()) {
      step_.Clear();
      for (size_t i = 0; i < neighbours_.size(); i++) {
        if (plan_.step_relationship != kNoSlot) step_.column(plan_.step_relationship).AppendRelationship(neighbours_[i].relationship);
        // A step walked from its end leads, told forwards, to the node it was walked from.
        if (plan_.step_node != kNoSlot) step_.column(plan_.step_node).AppendNode(forward ? neighbours_[i].node : nodes[parents_[i]]);
      }
      for (Slot slot = 0; slot < in_.slots(); slot++) {
        if (!step_.column(slot).filled() && in_.column(slot).filled()) step_.column(slot).AppendRepeated(in_.column(slot), row_, neighbours_.size());
      }
      step_.set_rows(neighbours_.size());
      RETURN_IF_ERROR(SelectTrue(*predicate_, step_, AllRows(step_), &keep_));
    } else {
      for (uint32_t i = 0; i < neighbours_.size(); i++) keep_.push_back(i);
    }
    size_t kept = 0;
    for (uint32_t i : keep_) {
      if (neighbours_[i].relationship == without_ || HoldsAny(in_, plan_.distinct_from, row_, neighbours_[i].relationship)) continue;
      neighbours_[kept] = neighbours_[i];
      parents_[kept] = parents_[i];
      kept++;
    }
    neighbours_.resize(kept);
    parents_.resize(kept);
    return Status::Ok();
  }

  Status Spell(const std::vector<NodeId>& meeting) {
    for (NodeId node : meeting) {
      std::vector<std::vector<RelId>> heads, tails;
      RETURN_IF_ERROR(Unwind(forward_, node, &heads));
      RETURN_IF_ERROR(Unwind(backward_, node, &tails));
      for (auto& head : heads) {
        std::reverse(head.begin(), head.end());
        for (const auto& tail : tails) {
          std::vector<RelId> path = head;
          path.insert(path.end(), tail.begin(), tail.end());
          RETURN_IF_ERROR(Charge(sizeof(path) + path.size() * sizeof(RelId)));
          paths_.push_back(std::move(path));
          if (!plan_.all_shortest) return Status::Ok();
          if (paths_.size() % kBatchRowsMax == 0) RETURN_IF_ERROR(context_.CheckInterrupt());
        }
      }
    }
    return Status::Ok();
  }

  // All ways from `node` back to the side's root, nearest relationship first.
  Status Unwind(const Side& side, NodeId node, std::vector<std::vector<RelId>>* ways) {
    struct Place {
      const Visit* visit;
      size_t next = 0;
    };
    std::vector<Place> stack{{&side.visits.at(node.value)}};
    std::vector<RelId> way;
    while (!stack.empty()) {
      Place& place = stack.back();
      if (place.visit->depth == 0) {
        RETURN_IF_ERROR(Charge(sizeof(way) + way.size() * sizeof(RelId)));
        ways->push_back(way);
        if (!plan_.all_shortest) return Status::Ok();
        if (ways->size() % kBatchRowsMax == 0) RETURN_IF_ERROR(context_.CheckInterrupt());
      } else if (place.next < place.visit->steps.size()) {
        const Step& step = place.visit->steps[place.next++];
        way.push_back(step.relationship);
        stack.push_back({&side.visits.at(step.before.value)});
        continue;
      }
      stack.pop_back();
      if (!way.empty()) way.pop_back();
    }
    return Status::Ok();
  }

  OperatorPtr child_;
  EvaluatorPtr predicate_;
  TypeNames types_;
  const storage::Direction direction_;
  BatchSizer sizer_;
  Batch in_, step_;
  size_t row_ = 0;
  Side forward_, backward_;
  std::optional<RelId> without_;                // a relationship that the search at hand must not use
  std::vector<std::vector<RelId>> paths_;
  size_t next_path_ = 0;
  std::vector<uint32_t> parents_, out_rows_, keep_;
  std::vector<storage::Neighbour> neighbours_;
};

}  // namespace

OperatorPtr MakeShortestPath(Builder& builder, const PhysicalOperator& plan) {
  return std::make_unique<ShortestPathOperator>(builder, plan);
}

}  // namespace fornix::engine
