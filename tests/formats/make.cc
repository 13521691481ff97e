// Makes the files of the present format: make_format FOLDER writes FOLDER/closed/sample.fornix, and FOLDER/unclosed/ as a crash leaves it: a base with a log
// over it. content.txt beside FOLDER, what all of them hold, is written unless it is there. Run once, when a format is final; from then on the files are what later
// versions must open, and never made again.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/corrupt/content.h"
#include "tests/formats/sample.h"

namespace {

fornix::Status Make(const std::string& folder) {
  using namespace fornix;   // NOLINT: a test
  namespace fs = std::filesystem;
  fs::create_directories(folder + "/closed");
  const std::string path = folder + "/closed/sample.fornix", text = folder + "/../content.txt";
  ASSIGN_OR_RETURN(const auto store, storage::Store::Open(PosixFileSystem(), path, corrupt::SampleOptions()));
  RETURN_IF_ERROR(corrupt::FillSample(*store, formats::kSize));
  RETURN_IF_ERROR(store->Checkpoint().status());
  RETURN_IF_ERROR(corrupt::ChangeSample(*store, [] { return Status::Ok(); }));
  fs::copy(folder + "/closed", folder + "/unclosed", fs::copy_options::recursive);
  fs::remove(folder + "/unclosed/sample.fornix-lock");
  if (!fs::exists(text)) {
    ASSIGN_OR_RETURN(const std::string content, corrupt::Content(*store));
    std::ofstream(text, std::ios::binary) << content;
  }
  return store->Close();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "make_format FOLDER\n");
    return 2;
  }
  const fornix::Status status = Make(argv[1]);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
