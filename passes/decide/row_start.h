// Rows that may begin anywhere in memory, for instance those of an odd number of elements: how far such a row begins behind a vector
// is known when the row is. Tiles that begin at that vector can take whole vectors of every tensor whose rows are offset alike.
#pragma once

#include "passes/decide/site.h"

namespace cdsl::deciding {

/// The start that gives vectors to the most bytes of a row along `index`; nothing where no access goes along it element by element, or
/// where this variant holds at any alignment.
std::optional<RowStart> row_start(const Site& site, SymbolId index);

/// Do rows of `access` along `index` begin as far behind a vector as those of `start` do, whatever the row?
bool starts_alike(const Site& site, const Access& access, const RowStart& start, SymbolId index);

}  // namespace cdsl::deciding
