// The demo on WordNet 3.0: 117,659 synsets and 377,592 relationships of 26 types, read in place from FORNIX_SHARED.
#pragma once

#include <string>

#include "fornix/status.h"

namespace fornix::demo {

Status RunWordnet(const std::string& database_path);

}  // namespace fornix::demo
