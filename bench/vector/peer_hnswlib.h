// hnswlib as a peer, behind an interface that keeps its header (and the flags it is compiled with) in one file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace fornix::bench {

class PeerIndex {
 public:
  virtual ~PeerIndex() = default;
  virtual void Add(const std::vector<float>& v, uint32_t id) = 0;
  // False if there is no such file.
  virtual bool Load(const std::string& path) = 0;
  virtual void Save(const std::string& path) = 0;
  virtual void SetBeam(size_t ef) = 0;
  virtual void Search(const float* query, size_t k, std::vector<uint32_t>* ids) = 0;
};

// Euclidean; with `normalize`, rows and queries are brought to length 1 and compared by inner product, as its users do for cosine.
std::unique_ptr<PeerIndex> NewHnswlib(size_t dimensions, size_t count, size_t m, size_t ef_construction, bool normalize);

}  // namespace fornix::bench
