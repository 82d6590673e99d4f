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
  std::string text() const;

 private:
  std::set<Piece> pieces_;
};

}  // namespace cdsl::cuda
