// A vector index as its users have it: a database file, Cypher in, rows out, snapshots and visibility on. For `bench vector` and
// `compare vector`.
//
// Each row of the data is (:Item {id, look, rank, near}): `rank` is a random order of the rows, `near` their order by distance from the
// first query, so that `rank < n` lets through n rows spread over the data and `near < n` n rows of one corner of it. `rank` has an index, so
// that its rows come as a list; `near` has none, and is asked of one candidate after the other.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/vector/dataset.h"
#include "fornix/connection.h"
#include "fornix/database.h"

namespace fornix::bench {

enum class FilterBy { kRank, kNear };

class PublicIndex {
 public:
  // Opens `path` if it holds this data with this quantization ('none', 'scalar', ...), else loads it and waits until all is linked.
  // Exits with a message where the database refuses.
  PublicIndex(const Dataset& data, const std::string& quantization, const std::string& path);
  ~PublicIndex();

  // Seconds of loading through Cypher until everything is linked; 0 if it was there.
  double load_seconds() const { return load_seconds_; }
  // The ids of the kNeighbours nearest, best first; beam 0: the index's own.
  void Search(size_t query, size_t beam, std::vector<uint32_t>* ids);
  // Of the rows whose rank (or nearness) is below `below`, at the index's own beam.
  void SearchFiltered(size_t query, FilterBy by, size_t below, std::vector<uint32_t>* ids);
  // How a filtered search went about it, as PROFILE shows it.
  std::string ProfileFiltered(size_t query, FilterBy by, size_t below);
  // The part of the true kNeighbours nearest among the rows that pass.
  double FilteredRecall(size_t query, FilterBy by, size_t below, const std::vector<uint32_t>& found) const;

 private:
  void Load(const std::string& quantization);
  void Read(const Prepared& statement, const Map& parameters, std::vector<uint32_t>* ids);

  const Dataset& data_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<Prepared> search_, by_rank_, by_near_;
  std::vector<Value> queries_;
  std::vector<uint32_t> rank_, near_;   // of each row
  std::vector<Row> rows_;
  double load_seconds_ = 0;
};

}  // namespace fornix::bench
