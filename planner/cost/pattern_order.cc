// See pattern_order.h. Weights are of rows that an Expand hands on.
#include "planner/cost/pattern_order.h"

#include <algorithm>
#include <bit>

namespace fornix::planner {
namespace {

constexpr double kLookAt = 0.3;                  // a predicate on what was reached
constexpr double kInto = 3;                      // a search in a list for what is between two nodes
constexpr double kMerge = 0.15;                  // an entry of two sorted lists that are walked together
constexpr double kBuild = 2, kProbe = 1.2, kJoined = 1.4;   // a row of a hash join
constexpr double kCounted = 1.3;                 // a row whose relationships are only counted
constexpr double kScan = 1.3;                    // a relationship of a scan, whose ends are looked up

struct Found {
  double cost = kNever;
  double rows = 0;
  OrderStep::Kind kind = OrderStep::Kind::kNode;
  uint32_t before = 0;                           // the set it was made from
  int index = -1, second = -1;
  int start = -1;                                // of a set of one: the node
  bool before_known = false;
};

class Finder {
 public:
  explicit Finder(const OrderInput& input) : in_(input), count_(input.relationships.size()) {
    for (size_t i = 0; i < in_.nodes.size(); ++i) known_ |= static_cast<uint64_t>(in_.nodes[i].known) << i;
    for (size_t i = 0; i < count_; ++i) single_ |= static_cast<uint32_t>(in_.relationships[i].single) << i;
    any_known_ = known_ != 0;
  }

  Order Run() {
    const uint32_t sets = 1u << count_;
    nodes_.assign(sets, 0);
    rows_.assign(sets, 1);
    for (uint32_t set = 1; set < sets; ++set) Measure(set);
    // Apart: found without what is known; with[]: from what is known on.
    apart_.assign(sets, Found());
    Starts();
    if (any_known_) {
      with_.assign(sets, Found());
      with_[0].cost = 0;
      with_[0].rows = in_.rows;
    }
    for (uint32_t set = 0; set < sets; ++set) {
      if (set != 0 && apart_[set].cost < kNever) Extend(set, false, &apart_);
      if (any_known_ && with_[set].cost < kNever) Extend(set, true, &with_);
      // Sets are taken in the order of their numbers, and parts of a set have smaller ones: all of a set is there when it is divided.
      if (set != sets - 1 && in_.may_join) JoinInto(set + 1);
    }
    const uint32_t all = sets - 1;
    Order order;
    const std::vector<Found>& table = any_known_ ? with_ : apart_;
    order.cost = table[all].cost;
    order.rows = table[all].rows;
    if (order.cost < kNever) Trace(all, any_known_, &order.steps);
    return order;
  }

 private:
  uint64_t Ends(int r) const {
    return uint64_t{1} << in_.relationships[static_cast<size_t>(r)].left | uint64_t{1} << in_.relationships[static_cast<size_t>(r)].right;
  }
  const OrderRelationship& Rel(int r) const { return in_.relationships[static_cast<size_t>(r)]; }
  const OrderNode& Node(int n) const { return in_.nodes[static_cast<size_t>(n)]; }
  bool Covered(const OrderPredicate& p, uint32_t set) const { return (p.nodes & ~(nodes_[set] | known_)) == 0 && (p.relationships & ~uint64_t{set}) == 0; }

  void Measure(uint32_t set) {
    const int r = std::countr_zero(set);
    const uint32_t rest = set & (set - 1);
    nodes_[set] = nodes_[rest] | Ends(r);
    double rows = rows_[rest] * Rel(r).pairs;
    uint64_t there = nodes_[rest] | known_;
    for (int n : {Rel(r).left, Rel(r).right}) {
      rows *= there >> n & 1 ? 1 / std::max(1.0, Node(n).size) : Node(n).share;
      there |= uint64_t{1} << n;
    }
    for (const OrderPredicate& p : in_.predicates) {
      if (Covered(p, set) && !Covered(p, rest)) rows *= p.share;
    }
    rows_[set] = rows;
  }
  // How many rows come of one.
  double Growth(uint32_t from, uint32_t to) const { return rows_[from] > 0 ? rows_[to] / rows_[from] : 0; }

  static void Take(double cost, Found found, Found* best) {
    // A hair better is no reason to leave the written order.
    if (cost >= best->cost * 0.999) return;
    found.cost = cost;
    *best = found;
  }

  bool Counted(int r, int from) const { return from == Rel(r).left ? Rel(r).right_counted : Rel(r).left_counted; }
  double ExpandCost(double rows, int r, int from) const {
    const OrderRelationship& rel = Rel(r);
    if (Counted(r, from)) return rows * kCounted;
    const double met = from == rel.left ? rel.from_left : rel.from_right;
    const int to = from == rel.left ? rel.right : rel.left;
    return rows + rows * met * (1 + (Node(to).filtered ? kLookAt : 0));
  }

  void Starts() {
    const uint64_t known = known_;
    for (int r = 0; r < static_cast<int>(count_); ++r) {
      if ((Ends(r) & known) != 0) continue;      // apart from what is known
      Found* best = &apart_[1u << r];
      for (int n : {Rel(r).left, Rel(r).right}) {
        if (Rel(r).both_needed) continue;
        Found found;
        found.kind = OrderStep::Kind::kExpand;
        found.index = r;
        found.start = n;
        const double rows = Node(n).size * Node(n).share;
        found.rows = Counted(r, n) ? std::min(rows, rows_[1u << r]) : rows_[1u << r];
        Take(Node(n).start_cost + ExpandCost(rows, r, n), found, best);
      }
      Found scan;
      scan.kind = OrderStep::Kind::kScan;
      scan.index = r;
      scan.rows = rows_[1u << r];
      double looked = 1;
      for (int n : {Rel(r).left, Rel(r).right}) looked += Node(n).filtered ? kLookAt : 0;
      Take(Rel(r).scan_cost * kScan * looked, scan, best);
    }
  }

  void Extend(uint32_t set, bool known, std::vector<Found>* table) {
    const uint64_t there = nodes_[set] | (known ? known_ : 0);
    const uint64_t barred = known ? 0 : known_;
    const double rows = (*table)[set].rows, cost = (*table)[set].cost;
    for (int r = 0; r < static_cast<int>(count_); ++r) {
      if (set >> r & 1 || (Ends(r) & barred) != 0) continue;
      const bool left = there >> Rel(r).left & 1, right = there >> Rel(r).right & 1;
      if (!left && !right) continue;
      if (Rel(r).both_needed && !(left && right)) continue;
      Found found;
      found.before = set;
      found.before_known = known;
      found.index = r;
      found.kind = OrderStep::Kind::kExpand;
      found.rows = rows * Growth(set, set | 1u << r);
      if (left && right) {
        const double met = std::min(Rel(r).from_left, Rel(r).from_right);
        Take(cost + (Rel(r).single ? rows * kInto : rows * (1 + met)), found, &(*table)[set | 1u << r]);
        continue;
      }
      const int from = left ? Rel(r).left : Rel(r).right, to = left ? Rel(r).right : Rel(r).left;
      if (Counted(r, from)) found.rows = std::min(found.rows, rows);
      Take(cost + ExpandCost(rows, r, from), found, &(*table)[set | 1u << r]);
      if (!Rel(r).single) continue;
      // Two lists of the same unknown node are cut with each other.
      for (int s = r + 1; s < static_cast<int>(count_); ++s) {
        if (set >> s & 1 || !Rel(s).single || (Ends(s) & barred) != 0 || Rel(s).left == Rel(s).right) continue;
        if (Rel(s).left != to && Rel(s).right != to) continue;
        const int other = Rel(s).left == to ? Rel(s).right : Rel(s).left;
        if (!(there >> other & 1) || other == from) continue;
        const double a = from == Rel(r).left ? Rel(r).from_left : Rel(r).from_right;
        const double b = other == Rel(s).left ? Rel(s).from_left : Rel(s).from_right;
        Found cut = found;
        cut.kind = OrderStep::Kind::kIntersect;
        cut.second = s;
        cut.rows = rows * Growth(set, set | 1u << r | 1u << s);
        const double walked = std::min(a + b, 12 * std::min(a, b));
        Take(cost + rows * (2 + walked * kMerge), cut, &(*table)[set | 1u << r | 1u << s]);
      }
    }
  }

  void JoinInto(uint32_t set) {
    if (std::popcount(set) < 2 || static_cast<size_t>(std::popcount(set)) > kJoinedMax) return;
    for (uint32_t build = (set - 1) & set; build != 0; build = (build - 1) & set) {
      const uint32_t probe = set ^ build;
      if (apart_[build].cost == kNever || (build & ~single_) != 0 || (nodes_[build] & known_) != 0) continue;
      if ((nodes_[build] & nodes_[probe]) == 0) continue;
      for (bool known : {false, true}) {
        if (known && !any_known_) continue;
        std::vector<Found>& table = known ? with_ : apart_;
        if (table[probe].cost == kNever) continue;
        Found found;
        found.kind = OrderStep::Kind::kJoin;
        found.before = probe;
        found.before_known = known;
        found.rows = table[probe].rows * apart_[build].rows * Growth(build, set) / std::max(1e-9, rows_[probe]);
        const double cost =
            table[probe].cost + apart_[build].cost + apart_[build].rows * kBuild + table[probe].rows * kProbe + found.rows * kJoined;
        Take(cost, found, &table[set]);
      }
    }
  }

  void Trace(uint32_t set, bool known, std::vector<OrderStep>* steps) const {
    if (set == 0) return;
    const Found& found = (known ? with_ : apart_)[set];
    if (found.before != 0 || found.before_known) Trace(found.before, found.before_known, steps);
    OrderStep step;
    step.kind = found.kind;
    if (found.kind == OrderStep::Kind::kJoin) {
      const uint32_t build = set ^ found.before;
      Trace(build, false, &step.build);
      const uint64_t shared = nodes_[build] & nodes_[found.before];
      for (int n = 0; n < 64; ++n) {
        if (shared >> n & 1) step.shared.push_back(n);
      }
    } else {
      if (found.start >= 0) {
        OrderStep start;
        start.kind = OrderStep::Kind::kNode;
        start.index = found.start;
        steps->push_back(std::move(start));
      }
      step.index = found.index;
      step.second = found.second;
    }
    steps->push_back(std::move(step));
  }

  const OrderInput& in_;
  const size_t count_;
  bool any_known_ = false;
  uint64_t known_ = 0;                           // nodes
  uint32_t single_ = 0;                          // relationships
  std::vector<uint64_t> nodes_;                  // by set
  std::vector<double> rows_;                     // by set, for one row before
  std::vector<Found> apart_, with_;
};

}  // namespace

Order FindOrder(const OrderInput& input) { return Finder(input).Run(); }

}  // namespace fornix::planner
