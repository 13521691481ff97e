// Makes the CSV files that imports are measured with:
//   bench_generate DIR NODES RELATIONSHIPS
//   DIR/nodes.csv           id:ID,name,age:int           10 million: 280 MB
//   DIR/relationships.csv   :START_ID,:END_ID,weight:int 30 million: 590 MB
// Ids are 0, 1, ... in order; ends are drawn evenly, so every node has three relationships each way on average. The same
// numbers give the same files. Threads: one.
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/random.h"

namespace {

class Lines {
 public:
  explicit Lines(const std::string& path) : file_(std::fopen(path.c_str(), "wb")) {
    if (file_ == nullptr) {
      std::perror(path.c_str());
      std::exit(1);
    }
  }
  ~Lines() {
    Flush();
    std::fclose(file_);
  }
  Lines& Text(const char* text) {
    buffer_ += text;
    return *this;
  }
  Lines& Number(uint64_t n) {
    char digits[20];
    buffer_.append(digits, std::to_chars(digits, digits + sizeof digits, n).ptr);
    return *this;
  }
  void End() {
    buffer_ += '\n';
    if (buffer_.size() > (1 << 20)) Flush();
  }

 private:
  void Flush() {
    if (std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size()) {
      std::perror("write");
      std::exit(1);
    }
    buffer_.clear();
  }
  std::FILE* file_;
  std::string buffer_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: bench_generate DIR NODES RELATIONSHIPS\n");
    return 2;
  }
  const std::string dir = argv[1];
  const uint64_t nodes = std::strtoull(argv[2], nullptr, 10), relationships = std::strtoull(argv[3], nullptr, 10);
  if (nodes == 0) return 2;
  fornix::Random random(1);
  {
    Lines out(dir + "/nodes.csv");
    out.Text("id:ID,name,age:int").End();
    for (uint64_t i = 0; i < nodes; ++i) out.Number(i).Text(",name-").Number(i).Text(",").Number(random.Below(100)).End();
  }
  Lines out(dir + "/relationships.csv");
  out.Text(":START_ID,:END_ID,weight:int").End();
  for (uint64_t i = 0; i < relationships; ++i) {
    out.Number(random.Below(nodes)).Text(",").Number(random.Below(nodes)).Text(",").Number(random.Below(1000)).End();
  }
  return 0;
}
