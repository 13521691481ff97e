// Every runnable set of code kernels against the scalar one, on any bytes: the random test calls it, and a fuzz
// target can. The first two bytes choose the dimensions and the number of rows, the rest is query and rows.
#pragma once

#include <cmath>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "vector/quantize/code_kernels.h"

namespace fornix::vector {

// A row's bytes in an allocation of their own, so that the address sanitizer sees a read behind its end, at an odd
// address.
struct TightRows {
  TightRows(std::span<const uint8_t> input, size_t bytes, size_t count) {
    for (size_t r = 0; r < count; ++r) {
      std::vector<uint8_t>& row = storage.emplace_back(bytes + 1);
      for (size_t i = 0; i < bytes && !input.empty(); ++i) row[i + 1] = input[(r * bytes + i) % input.size()];
      rows.push_back(row.data() + 1);
    }
  }
  std::vector<std::vector<uint8_t>> storage;
  std::vector<const uint8_t*> rows;
};

// What differs first, "" if nothing does.
inline std::string CompareCodeKernels(std::span<const uint8_t> input) {
  if (input.size() < 3) return "";
  const size_t n = (size_t{input[0]} % 32 + 1) * 64, count = input[1] % 9 + 1;
  input = input.subspan(2);
  const auto byte = [&](size_t i) { return input[i % input.size()]; };
  std::vector<int8_t> query(n);
  std::vector<float> floats(n);
  std::vector<uint64_t> planes(n / 16);
  for (size_t i = 0; i < n; ++i) {
    query[i] = static_cast<int8_t>(byte(i) == 0x80 ? 127 : byte(i));
    floats[i] = std::ldexp(static_cast<float>(query[i]), byte(i + 1) % 20 - 10);
  }
  for (size_t i = 0; i < planes.size() * 8; ++i) reinterpret_cast<uint8_t*>(planes.data())[i] = byte(i);
  const TightRows halves(input, 2 * n, count), bytes(input, n, count), nibbles(input, n / 2, count), bits(input, n / 8, count);

  const CodeKernels& judge = ScalarCodeKernels();
  for (const CodeKernels* kernels : RunnableCodeKernels()) {
    const std::string where = std::string(kernels->name) + " n=" + std::to_string(n) + " rows=" + std::to_string(count) + ": ";
    std::vector<int32_t> expected(count), found(count), single(1);
    const auto differ = [&](auto kernel, auto judge_kernel, const auto* q, const TightRows& rows) {
      judge_kernel(q, rows.rows.data(), count, n, expected.data());
      kernel(q, rows.rows.data(), count, n, found.data());
      kernel(q, rows.rows.data() + count - 1, 1, n, single.data());
      return expected != found || single[0] != found.back();
    };
    if (differ(kernels->byte_dot, judge.byte_dot, query.data(), bytes)) return where + "byte_dot";
    if (differ(kernels->nibble_dot, judge.nibble_dot, query.data(), nibbles)) return where + "nibble_dot";
    if (differ(kernels->bit_dot, judge.bit_dot, planes.data(), bits)) return where + "bit_dot";

    std::vector<int8_t> decoded(n), decoded_judge(n);
    kernels->nibble_decode(nibbles.rows[0], n, decoded.data());
    judge.nibble_decode(nibbles.rows[0], n, decoded_judge.data());
    if (decoded != decoded_judge) return where + "nibble_decode";

    // Halves that are numbers; infinities and NaN are no code.
    bool numbers = true;
    for (const uint8_t* row : halves.rows) {
      for (size_t i = 0; i < n; ++i) numbers = numbers && (row[2 * i + 1] & 0x7C) != 0x7C;
    }
    if (numbers) {
      std::vector<float> values(n), values_judge(n), sums(count);
      kernels->half_decode(halves.rows[0], n, values.data());
      judge.half_decode(halves.rows[0], n, values_judge.data());
      if (std::memcmp(values.data(), values_judge.data(), 4 * n) != 0) return where + "half_decode";
      kernels->half_dot(floats.data(), halves.rows.data(), count, n, sums.data());
      for (size_t r = 0; r < count; ++r) {
        double exact = 0, magnitude = 0;
        judge.half_decode(halves.rows[r], n, values.data());
        for (size_t i = 0; i < n; ++i) {
          exact += static_cast<double>(floats[i]) * values[i];
          magnitude += std::abs(static_cast<double>(floats[i]) * values[i]);
        }
        if (!(std::abs(sums[r] - exact) <= (static_cast<double>(n) / 4 + 18) * 0x1p-24 * magnitude + 1e-37)) return where + "half_dot";
        float alone;
        kernels->half_dot(floats.data(), &halves.rows[r], 1, n, &alone);
        if (std::memcmp(&alone, &sums[r], 4) != 0) return where + "half_dot of one row";
      }
    }

    for (size_t size = 64; size <= n; size *= 2) {
      std::vector<float> v(floats.begin(), floats.begin() + static_cast<std::ptrdiff_t>(size)), v_judge = v;
      kernels->hadamard(v.data(), size);
      judge.hadamard(v_judge.data(), size);
      if (std::memcmp(v.data(), v_judge.data(), 4 * size) != 0) return where + "hadamard of " + std::to_string(size);
    }
  }
  return "";
}

}  // namespace fornix::vector
