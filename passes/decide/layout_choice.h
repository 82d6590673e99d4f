// Layouts as choices: which ones of a record are worth pricing, and how `--set NAME.layout=` spells them.
//
// Guarantees: `spelled` is what the language's `layout(...)` takes, without spaces; reading it back gives the same layout; every
// candidate can be spelled and read. Parts of a split are of whole fields of the record, nested ones included.
#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "passes/recognize/record_uses.h"

namespace cdsl::deciding {

/// "soa", "aos", "aosoa(32)", "split({x,y},{m})".
std::string spelled(const RecordType& record, const Layout& layout);

/// The layout that a text asks for, or a sentence that says why it cannot be. Fields that a split does not name are its last part.
std::variant<Layout, std::string> read_layout(const RecordType& record, std::string_view text);

/// Simplest first: arrays, records, groups of records, parts. Parts are what the uses of the tensor suggest: fields that go
/// together everywhere; those that lanes reach out of order in one record, all others alone; the used and the unused.
std::vector<Layout> layouts_of(const RecordType& record, TensorId tensor, std::span<const StatementUses> statements);

}  // namespace cdsl::deciding
