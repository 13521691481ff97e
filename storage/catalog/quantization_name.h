// What the kinds of codes of a vector index are called, in options, SHOW INDEXES and EXPLAIN.
#pragma once

#include "vector/quantization.h"

namespace fornix::storage {

inline const char* QuantizationName(vector::Quantization quantization) {
  switch (quantization) {
    case vector::Quantization::kNone: return "none";
    case vector::Quantization::kHalf: return "f16";
    case vector::Quantization::kByte: return "scalar";
    case vector::Quantization::kRabitq4: return "rabitq4";
    case vector::Quantization::kRabitq8: return "binary";
  }
  return "none";
}

}  // namespace fornix::storage
