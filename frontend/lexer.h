// Text to tokens.
//
// Never fails: what is wrong is reported and skipped or taken as the nearest token, so that the
// parser can go on. Expects text that SourceManager::check_text has passed, but is safe on any
// bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "frontend/source.h"
#include "frontend/token.h"

namespace cdsl {

inline constexpr std::uint32_t kNoToken = 0xFFFFFFFFu;

struct TokenList {
  std::uint32_t file = kNoFile;
  std::vector<Token> tokens;         // the last one is Tok::End
  std::vector<std::uint32_t> match;  // for a bracket its partner, else kNoToken
};

// Brackets are paired inside out; `}` closes what was left open inside its block, `)` and `]` never
// reach over a `{`.
TokenList lex(const SourceManager& sources, std::uint32_t file, DiagnosticSink& sink);

}  // namespace cdsl
