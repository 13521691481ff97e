// A plan as an aligned tree: an operator a line, its inputs below it, the second and later inputs indented.
//
//   Operator            Details                        Estimated   Rows  Hits  Time ms  Distances
//   ProduceResults      m.text, s                             10      5     0     0.01          0
//   Limit               5                                      5      5     0     0.00          0
//   Expand(All)         (m)-[:ABOUT]->(g)                     30      7    12     0.02          0
//   VectorSeed          (m) emb LIMIT 10 FOR $q               10      3     3     0.31        412
#include <algorithm>
#include <cstdio>

#include "planner/physical/op_util.h"
#include "planner/planner.h"

namespace fornix::planner {
namespace {

struct Line {
  std::string name;
  const PhysicalOperator* op;
};

void Add(const PhysicalOperator& op, const std::string& indent, const std::string& mark, std::vector<Line>* lines) {
  lines->push_back({indent + mark + std::string(OperatorName(op)), &op});
  // Right sides first, indented, so that the main line goes straight down. What a seed may take its ids from is beside it.
  const size_t beside = op.kind == OpKind::kVectorSeed && !op.scan_else ? 0 : 1;
  for (size_t i = op.children.size(); i-- > beside;) Add(*op.children[i], indent + "| ", "+ ", lines);
  ForEachExpr(op, [&](const BoundExpr& e) {
    ForEachSubplanExpr(const_cast<BoundExpr&>(e), [&](BoundExpr& sub) {
      if (sub.plan) Add(*sub.plan, indent + "| ", "? ", lines);
    });
  });
  if (beside == 1 && !op.children.empty()) Add(*op.children[0], indent, "", lines);
}

// Code points, as a terminal shows them.
size_t Width(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string Number(double n) {
  char buffer[32];
  std::snprintf(buffer, sizeof(buffer), n < 10 && n != static_cast<int64_t>(n) ? "%.1f" : "%.0f", n);
  return buffer;
}

std::string Searched(const OperatorProfile::Searches& s) {
  if (s.count == 0) return "";
  std::string text;
  if (s.scanned == s.count) return "scanned rows";
  for (const auto& strategy : s.strategies) text += (text.empty() ? "" : " | ") + std::string(strategy);
  if (s.count > 1) text += " in " + std::to_string(s.count) + " searches";
  auto add = [&](uint64_t n, const char* what) {
    if (n > 0) text += ", " + std::to_string(n) + " " + what;
  };
  add(s.scanned, "of them scanned rows");
  if (s.listed > 0) text += ", " + std::to_string(s.ids) + " ids given";
  add(s.passing, "passing");
  add(s.reranked, "reranked");
  add(s.unlinked, "unlinked");
  add(s.rejected, "rejected");
  return text + (s.exact ? ", exact" : ", approximate");
}

std::string Spilled(const OperatorProfile& p) {
  if (p.spilled_bytes == 0) return "";
  char buffer[64];
  std::snprintf(buffer, sizeof(buffer), "spilled %.1f MiB in %llu runs", static_cast<double>(p.spilled_bytes) / (1 << 20),
                static_cast<unsigned long long>(p.spilled_runs));
  return buffer;
}

}  // namespace

std::string ProfileText(const OperatorProfile& profile) {
  const std::string searched = Searched(profile.searches), spilled = Spilled(profile);
  return searched + (searched.empty() || spilled.empty() ? "" : ", ") + spilled;
}

std::string ExplainText(const PhysicalPlan& plan, const std::vector<OperatorProfile>& profile) {
  std::vector<Line> lines;
  Add(*plan.root, "", "", &lines);
  std::vector<std::vector<std::string>> table;
  table.push_back({"Operator", "Details", "Estimated"});
  if (!profile.empty()) table[0].insert(table[0].end(), {"Rows", "Hits", "Time ms", "Distances"});
  for (const auto& line : lines) {
    std::vector<std::string> row{line.name, line.op->details, Number(line.op->estimated_rows)};
    if (!profile.empty() && line.op->id < profile.size()) {
      const OperatorProfile& p = profile[line.op->id];
      char time[32];
      std::snprintf(time, sizeof(time), "%.2f", static_cast<double>(p.time_ns) / 1e6);
      row.insert(row.end(), {std::to_string(p.rows), std::to_string(p.db_hits), time, std::to_string(p.distance_computations)});
    }
    table.push_back(std::move(row));
  }
  // What only some operators have to tell stands behind the details: seldom enough not to have a column of its own.
  for (size_t i = 0; i < lines.size() && !profile.empty(); ++i) {
    if (lines[i].op->id >= profile.size()) continue;
    const std::string told = ProfileText(profile[lines[i].op->id]);
    if (!told.empty()) table[i + 1][1] += (table[i + 1][1].empty() ? "" : "; ") + told;
  }
  std::vector<size_t> widths(table[0].size());
  for (const auto& row : table) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], Width(row[i]));
  }
  std::string text;
  for (const auto& row : table) {
    std::string out;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string pad(widths[i] - Width(row[i]), ' ');
      if (i) out += "  ";
      out += i < 2 ? row[i] + pad : pad + row[i];   // text to the left, numbers to the right
    }
    while (!out.empty() && out.back() == ' ') out.pop_back();
    text += out + "\n";
  }
  return text;
}

}  // namespace fornix::planner
