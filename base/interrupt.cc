#include "base/interrupt.h"

namespace fornix {

void WorkMeter::Look() {
  left = kWorkStep;
  Status status = check();
  if (!status.ok()) throw Interruption(std::move(status));
}

}  // namespace fornix
