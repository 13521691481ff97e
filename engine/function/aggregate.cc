// Aggregate functions. All but count(*) skip nulls; without any value sum gives 0, count 0, collect [], the others null.
#include <algorithm>
#include <cmath>

#include "base/interrupt.h"
#include "base/value_compare.h"
#include "base/value_format.h"
#include "engine/function/errors.h"
#include "engine/function/registry.h"
#include "engine/function/temporal/arithmetic.h"

namespace fornix::engine {
namespace {

using Arguments = std::span<const Value>;

class Count final : public Aggregator {
 public:
  Status Add(Arguments a) override {
    count_ += a.empty() || !a[0].is_null();
    return Status::Ok();
  }
  Result<Value> Finish() override { return Value(count_); }
  void Save(List* state) override { state->push_back(Value(count_)); }
  void Restore(Arguments state) override { count_ = state[0].AsInteger(); }

 private:
  int64_t count_ = 0;
};

class Collect final : public Aggregator {
 public:
  Status Add(Arguments a) override {
    if (a[0].is_null()) return Status::Ok();
    items_.push_back(a[0]);
    bytes_ += a[0].MemoryBytes();
    return Status::Ok();
  }
  Result<Value> Finish() override { return Value(std::move(items_)); }
  void Save(List* state) override { *state = std::move(items_); }
  void Restore(Arguments state) override {
    items_.assign(state.begin(), state.end());
    CountWork(items_.size());
    for (const Value& v : items_) bytes_ += v.MemoryBytes();
  }
  size_t MemoryBytes() const override { return sizeof(*this) + bytes_; }

 private:
  List items_;
  size_t bytes_ = 0;
};

// By the order of ORDER BY, so that any types can be mixed.
template <bool kMax>
class Extreme final : public Aggregator {
 public:
  Status Add(Arguments a) override {
    if (a[0].is_null()) return Status::Ok();
    if (best_.is_null() || (kMax ? Order(a[0], best_) > 0 : Order(a[0], best_) < 0)) best_ = a[0];
    return Status::Ok();
  }
  Result<Value> Finish() override { return best_; }
  void Save(List* state) override { state->push_back(best_); }
  void Restore(Arguments state) override { best_ = state[0]; }
  size_t MemoryBytes() const override { return sizeof(*this) + best_.MemoryBytes(); }

 private:
  Value best_;
};

// Numbers or durations. Integers add up exactly in 128 bits; once a float comes, the sum is a float.
template <bool kAverage>
class Sum final : public Aggregator {
 public:
  Status Add(Arguments a) override {
    const Value& v = a[0];
    if (v.is_null()) return Status::Ok();
    bool is_duration = v.type() == Type::kDuration;
    if (!v.is_number() && !is_duration) return WrongType(kName, "numbers or durations", v);
    if (count_ > 0 && is_duration != durations_) return WrongType(kName, "numbers or durations, not both", v);
    ++count_;
    durations_ = is_duration;
    if (is_duration) {
      ASSIGN_OR_RETURN(duration_, AddDurations(duration_, v.AsDuration()));
    } else if (v.type() == Type::kInteger) {
      whole_ += v.AsInteger();
    } else {
      any_float_ = true;
      real_ += v.AsFloat();
    }
    return Status::Ok();
  }
  Result<Value> Finish() override {
    if (kAverage && count_ == 0) return Value();
    if (durations_) {
      if (!kAverage) return Value(duration_);
      ASSIGN_OR_RETURN(Duration average, DividedBy(duration_, Value(count_)));
      return Value(average);
    }
    double total = static_cast<double>(whole_) + real_;
    if (kAverage) return Value(total / static_cast<double>(count_));
    if (any_float_) return Value(total);
    if (whole_ > INT64_MAX || whole_ < INT64_MIN) return Overflow("sum()");
    return Value(static_cast<int64_t>(whole_));
  }
  void Save(List* state) override {
    *state = {Value(count_), Value(durations_), Value(any_float_), Value(static_cast<int64_t>(whole_ >> 64)), Value(static_cast<int64_t>(whole_)),
              Value(real_), Value(duration_)};
  }
  void Restore(Arguments state) override {
    count_ = state[0].AsInteger();
    durations_ = state[1].AsBoolean();
    any_float_ = state[2].AsBoolean();
    whole_ = static_cast<__int128>((static_cast<unsigned __int128>(static_cast<uint64_t>(state[3].AsInteger())) << 64) |
                                   static_cast<uint64_t>(state[4].AsInteger()));
    real_ = state[5].AsFloat();
    duration_ = state[6].AsDuration();
  }

 private:
  static constexpr std::string_view kName = kAverage ? "avg()" : "sum()";
  int64_t count_ = 0;
  bool durations_ = false, any_float_ = false;
  __int128 whole_ = 0;
  double real_ = 0;
  Duration duration_;
};

// Welford's method: one pass, and no difference of two large sums.
template <bool kPopulation>
class Deviation final : public Aggregator {
 public:
  Status Add(Arguments a) override {
    if (a[0].is_null()) return Status::Ok();
    if (!a[0].is_number()) return WrongType(kPopulation ? "stDevP()" : "stDev()", "numbers", a[0]);
    ++count_;
    double delta = a[0].AsNumber() - mean_;
    mean_ += delta / static_cast<double>(count_);
    squares_ += delta * (a[0].AsNumber() - mean_);
    return Status::Ok();
  }
  Result<Value> Finish() override {
    int64_t divisor = kPopulation ? count_ : count_ - 1;
    return Value(divisor > 0 ? std::sqrt(squares_ / static_cast<double>(divisor)) : 0.0);
  }
  void Save(List* state) override { *state = {Value(count_), Value(mean_), Value(squares_)}; }
  void Restore(Arguments state) override {
    count_ = state[0].AsInteger();
    mean_ = state[1].AsFloat();
    squares_ = state[2].AsFloat();
  }

 private:
  int64_t count_ = 0;
  double mean_ = 0, squares_ = 0;
};

// percentileDisc gives a value that is there, percentileCont one between its neighbours.
template <bool kContinuous>
class Percentile final : public Aggregator {
 public:
  Status Add(Arguments a) override {
    if (a[1].is_null()) return WrongType(kName, "a percentile from 0 to 1", a[1]);
    if (!a[1].is_number()) return WrongType(kName, "a percentile from 0 to 1", a[1]);
    percentile_ = a[1].AsNumber();
    if (!(percentile_ >= 0 && percentile_ <= 1)) {
      return OutOfRange(std::string(kName) + " wants a percentile from 0 to 1, not " + ToText(a[1]));
    }
    if (a[0].is_null()) return Status::Ok();
    if (!a[0].is_number()) return WrongType(kName, "numbers", a[0]);
    values_.push_back(a[0]);
    return Status::Ok();
  }
  Result<Value> Finish() override {
    if (values_.empty()) return Value();
    std::sort(values_.begin(), values_.end(), [](const Value& a, const Value& b) {
      CountWork(1);
      return Order(a, b) < 0;
    });
    double last = static_cast<double>(values_.size() - 1);
    if (!kContinuous) {
      double rank = std::ceil(percentile_ * static_cast<double>(values_.size())) - 1;
      return values_[static_cast<size_t>(std::clamp(rank, 0.0, last))];
    }
    double position = percentile_ * last, below = std::floor(position);
    double low = values_[static_cast<size_t>(below)].AsNumber(), high = values_[static_cast<size_t>(std::ceil(position))].AsNumber();
    return Value(low + (high - low) * (position - below));
  }
  size_t MemoryBytes() const override { return sizeof(*this) + values_.capacity() * sizeof(Value); }
  void Save(List* state) override {
    *state = std::move(values_);
    state->push_back(Value(percentile_));
  }
  void Restore(Arguments state) override {
    values_.assign(state.begin(), state.end() - 1);
    percentile_ = state.back().AsFloat();
  }

 private:
  static constexpr std::string_view kName = kContinuous ? "percentileCont()" : "percentileDisc()";
  double percentile_ = 0;
  List values_;
};

template <typename T>
std::unique_ptr<Aggregator> Make() { return std::make_unique<T>(); }

}  // namespace

void AddAggregateFunctions(FunctionRegistry* r) {
  r->Category("Aggregating");
  r->Aggregate("count([input :: ANY]) :: INTEGER", "The number of rows, or of values that aren't null.", Make<Count>);
  r->Aggregate("collect(input :: ANY) :: LIST<ANY>", "All values that aren't null, as a list.", Make<Collect>);
  r->Aggregate("min(input :: ANY) :: ANY", "The first value in ascending order.", Make<Extreme<false>>);
  r->Aggregate("max(input :: ANY) :: ANY", "The last value in ascending order.", Make<Extreme<true>>);
  r->Aggregate("sum(input :: NUMBER | DURATION) :: NUMBER | DURATION", "The sum; 0 of nothing.", Make<Sum<false>>);
  r->Aggregate("avg(input :: NUMBER | DURATION) :: NUMBER | DURATION", "The average; null of nothing.", Make<Sum<true>>);
  r->Aggregate("stDev(input :: FLOAT) :: FLOAT", "The standard deviation of a sample.", Make<Deviation<false>>);
  r->Aggregate("stDevP(input :: FLOAT) :: FLOAT", "The standard deviation of a whole population.", Make<Deviation<true>>);
  r->Aggregate("percentileDisc(input :: NUMBER, percentile :: FLOAT) :: NUMBER", "The value at a percentile from 0 to 1.",
      Make<Percentile<false>>);
  r->Aggregate("percentileCont(input :: FLOAT, percentile :: FLOAT) :: FLOAT", "The value at a percentile, between its neighbours.",
      Make<Percentile<true>>);
}

}  // namespace fornix::engine
