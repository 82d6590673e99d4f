// TileScan: a fold in the order of the points that keeps what comes before each.
#include "passes/lower/tiles/ordered_fold.h"

namespace cdsl::lowering {

void write_scan(LaneScope& scope, MeetingPlaces& places, const loop::TileScan& scan, const loop::Statement& statement,
                const loop::Block* loop) {
  OrderedFold fold(scope, places, Collective(scope, scan.how, statement, scan.results, {scan.axis}),
                   scan.exclusive ? Sums::Exclusive : Sums::Inclusive);
  fold.begin(scan.values);
  fold.run(statement, loop);
  fold.define_sums(scan.results);
  fold.define_totals(scan.totals);
}

}  // namespace cdsl::lowering
