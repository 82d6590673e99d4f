// Types of operands: how two meet (docs/language.md 6.3), how one is stored (6.4) and cast (7.3).
// Every error names both types and proposes the cast.
#pragma once

#include <optional>
#include <string>

#include "frontend/sema/analysis.h"

namespace cdsl::sema {

// An operand and where it is written.
struct Written {
  Operand value;
  SourceRange at;
};

// "f32", "an untyped integer", "a record of type Point", for messages.
std::string describe(const Analysis& a, const Operand& value);

// "1 axis", "2 axes".
std::string counted(std::size_t count, const std::string& one, const std::string& many);

// Wraps `at` in a cast.
void propose_cast(Diagnostic& diagnostic, SourceRange at, ScalarType type);

// A number, bool or untyped value; argmin and argmax give their position. Anything else is an
// error.
bool is_plain(Analysis& a, Written& x);

enum class Meeting : std::uint8_t { Failed, Typed, Untyped };
// Brings two plain operands to one type. Untyped: both are, and stay so.
Meeting meet(Analysis& a, Written& x, Written& y, SourceRange where);
// The nature of a result made of the two by an arithmetic operator.
Nature joint_nature(const Operand& x, const Operand& y);

// The operand with a type: an untyped one takes its default.
std::optional<Scalar> typed(Analysis& a, Written x);
// The operand in exactly `type`, an evaluation type, as an argument takes it: untyped and index
// values convert, all else must have the type or widen to it.
std::optional<ExprId> argument(Analysis& a, Written x, ScalarType type, const std::string& place);
// The value to store into an element of `type` (which may be a storage type). `place` names the
// element.
std::optional<ExprId> stored(Analysis& a, Written x, ScalarType type, const std::string& place);
// T(x).
Operand cast(Analysis& a, Written x, ScalarType type);

// i64, of any integer type.
std::optional<Scalar> integer(Analysis& a, Written x, const std::string& place);
// bool.
std::optional<ExprId> condition(Analysis& a, Written x);

}  // namespace cdsl::sema
