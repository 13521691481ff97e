// Reports; see report.h.
#include "bench/common/report.h"

#include <cstddef>
#include <cstdio>

namespace fornix::bench {
namespace {
bool Met(const Figure& f) { return f.target == 0 || (f.higher_is_better ? f.value >= f.target : f.value <= f.target); }
}  // namespace

void Report::Add(Figure f) {
  if (json_) {
    std::printf("{\"suite\": \"%s\", \"name\": \"%s\", \"kind\": \"%s\", \"unit\": \"%s\", \"value\": %.6g, \"target\": %.6g, \"ok\": %s",
                suite_.c_str(), f.name.c_str(), f.kind.c_str(), f.unit.c_str(), f.value, f.target, Met(f) ? "true" : "false");
    if (!f.peer.empty()) {
      std::printf(", \"peer\": \"%s\", \"peer_value\": %.6g, \"ratio\": %.6g", f.peer.c_str(), f.peer_value,
                  f.peer_value == 0 ? 0 : f.value / f.peer_value);
    }
    std::printf("}\n");
    std::fflush(stdout);
  }
  figures_.push_back(std::move(f));
}

bool Report::Finish() {
  bool ok = true;
  size_t width = 4;
  for (const Figure& f : figures_) width = std::max(width, f.name.size());
  if (!json_) std::printf("%-*s %-5s %12s %12s %-8s %s\n", static_cast<int>(width), "name", "kind", "value", "target", "unit", "");
  for (const Figure& f : figures_) {
    ok &= Met(f) || f.kind != "must";
    if (json_) continue;
    std::printf("%-*s %-5s %12.4g %12.4g %-8s %s", static_cast<int>(width), f.name.c_str(), f.kind.c_str(), f.value, f.target,
                f.unit.c_str(), f.target == 0 ? "" : Met(f) ? "ok" : "MISSED");
    if (!f.peer.empty()) std::printf("  %s %.4g, ratio %.3g", f.peer.c_str(), f.peer_value, f.peer_value == 0 ? 0 : f.value / f.peer_value);
    std::printf("\n");
  }
  return ok;
}

double Percentile(std::vector<double> values, double p) {
  if (values.empty()) return 0;
  size_t at = std::min(values.size() - 1, static_cast<size_t>(p * static_cast<double>(values.size())));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  return values[at];
}
double Median(std::vector<double> values) { return Percentile(std::move(values), 0.5); }

bool HasFlag(int argc, char** argv, const std::string& flag) {
  for (int i = 1; i < argc; ++i) {
    if (argv[i] == flag) return true;
  }
  return false;
}

}  // namespace fornix::bench
