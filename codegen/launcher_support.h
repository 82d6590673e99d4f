// Small pieces of host code that launchers call, printed only where they are needed.
#pragma once

#include <set>
#include <string>

namespace cdsl::cuda {

class Support {
 public:
  enum Piece {
    Refuse,
    RefuseValues,
    Fits,
    Ranges,
    StridedRange,
    IsAligned,
    NoAlias,
    Resident,
    ResidentOf,
    Tiles,
    LaunchResident,
    EncodeMap,
    Grid,
    Align,
    FillWord,
    FillWords
  };
  void need(Piece piece);
  /// Without those that a library has of its own (include/cdsl/aot.h), where `for_library`.
  std::string text(bool for_library) const;

 private:
  std::set<Piece> pieces_;
};

}  // namespace cdsl::cuda
