// The log in words: each file of a log directory, its header, its frames, and what stands behind the last one. For people
// who look at a log that doesn't open; it trusts nothing, repairs nothing, and goes on behind damage. One thread.
#pragma once

#include <string>

#include "base/file.h"

namespace fornix::wal {

//   0001-00000001.log  uuid 0101...  65536 bytes, salt 5f3a11c001234567, first record 1
//       4096  record 1 whole, 3 bytes, durable below 1
//       4608  nothing written: 60928 bytes of zeros
Result<std::string> DescribeLog(FileSystem& fs, const std::string& dir);

}  // namespace fornix::wal
