// What a benchmark prints: one figure a line, as a JSON object or as an aligned table.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace fornix::bench {

struct Figure {
  std::string name;
  std::string kind;              // "must" or "aim"
  std::string unit;
  double value = 0;
  double target = 0;             // 0: none
  bool higher_is_better = false;
  std::string peer;              // with compare
  double peer_value = 0;
};

class Report {
 public:
  Report(std::string suite, bool json) : suite_(std::move(suite)), json_(json) {}
  void Add(Figure figure);       // JSON lines are printed at once
  // Prints the table. False if a must was missed.
  bool Finish();

 private:
  std::string suite_;
  bool json_;
  std::vector<Figure> figures_;
};

double Median(std::vector<double> values);
double Percentile(std::vector<double> values, double p);   // p in 0..1
bool HasFlag(int argc, char** argv, const std::string& flag);

}  // namespace fornix::bench
