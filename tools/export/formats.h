// The formats of an export, each in its file; see export.h.
#pragma once

#include "tools/export/graph_source.h"

namespace fornix::tools {

Status ExportCsv(GraphSource* source, const std::string& directory);
Status ExportJsonLines(GraphSource* source, const std::string& path);
Status ExportCypher(GraphSource* source, const std::string& path);

}  // namespace fornix::tools
