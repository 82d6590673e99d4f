// A value, or the sentence that says why there is none.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace cdsl {

struct Failure {
  std::string message;
};

template <class T>
class Result {
 public:
  Result(T value) : state_(std::move(value)) {}
  Result(Failure failure) : state_(std::move(failure)) {}

  bool ok() const { return std::holds_alternative<T>(state_); }
  explicit operator bool() const { return ok(); }
  T& operator*() { return std::get<T>(state_); }
  const T& operator*() const { return std::get<T>(state_); }
  T* operator->() { return &std::get<T>(state_); }
  const T* operator->() const { return &std::get<T>(state_); }
  const std::string& message() const { return std::get<Failure>(state_).message; }

 private:
  std::variant<T, Failure> state_;
};

}  // namespace cdsl
