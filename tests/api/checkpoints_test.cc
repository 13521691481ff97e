// Many small commits, each with a checkpoint behind it: what a program does that saves after every step.
#include <filesystem>

#include "tests/api/api_test_util.h"

using namespace fornix;

TEST_CASE("200 small commits with a checkpoint each, half of them beside a reader, leave the file below 4 MiB") {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "fornix-small-commits";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::string path = (folder / "small.fornix").string();
  {
    test::Session session(path);
    std::unique_ptr<Connection> reader = session.database->Connect();
    uintmax_t largest_early = 0;
    for (int i = 1; i <= 200; ++i) {
      if (i % 2 == 0) {
        REQUIRE(reader->Begin().ok());
        REQUIRE(reader->Query("MATCH (n:Counter) RETURN n.value").ok());
      }
      session.Rows("MERGE (n:Counter {id: 1}) SET n.value = " + std::to_string(i));
      const Status checkpoint = session.database->Checkpoint().status();
      INFO(checkpoint.ToString());
      REQUIRE(checkpoint.ok());
      if (i % 2 == 0) REQUIRE(reader->Rollback().ok());
      const uintmax_t bytes = std::filesystem::file_size(path);
      if (i <= 100) largest_early = std::max(largest_early, bytes);
      CHECK(bytes < (4u << 20));
      if (i > 100) CHECK(bytes <= largest_early);   // it has levelled off
    }
    CHECK(session.One("MATCH (n:Counter) RETURN n.value") == "200");
    reader.reset();
    session.connection.reset();
    CHECK(session.database->Close().ok());
  }
  test::Session again(path);
  CHECK(again.Rows("MATCH (n:Counter) RETURN n.value") == std::vector<std::string>{"200"});
  again.connection.reset();
  CHECK(again.database->Close().ok());
  std::filesystem::remove_all(folder);
}
