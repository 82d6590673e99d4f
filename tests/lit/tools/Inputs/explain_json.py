"""Every key that `explain --json` promises, and the figures that must be exact."""
import json
import sys

report = json.load(open(sys.argv[1]))
(kernel,) = report["kernels"]
for key in ("name registers spill_bytes shared_bytes block grid_rule occupancy limiter waves tail_efficiency bytes flops "
            "roofline_us accesses").split():
    assert key in kernel, key
assert kernel["block"] == [256, 1, 1] and not kernel["registers_measured"]
accesses = {access["kind"]: access for access in kernel["accesses"]}
for access in accesses.values():
    for key in "tensor line kind width_bytes sectors_per_request ideal_sectors bank_degree active_lanes".split():
        assert key in access, key
load, store = accesses["load"], accesses["store"]
assert (load["tensor"], load["field"], load["line"], load["width_bytes"]) == ("p", "z", 2, 4)
assert load["sectors_per_request"] == 12 and load["ideal_sectors"] == 4 and load["active_lanes"] == 32
assert store["sectors_per_request"] == 4
assert load["requested_bytes"] == 4 * 1048576 and load["transferred_bytes"] == 12 * 1048576
assert load["text"] == "p[i].z" and load["range"]["begin"][0] == 2 and store["buffer"]
request = load["request"]
assert request["lanes"][:2] == [8, 20] and request["sectors"] == 12 and request["ideal_sectors"] == 4 and not request["shifted"]
assert kernel["limits"]["warps"] == 8 and kernel["resident_warps"] == 64 and kernel["wave_blocks"] == 132 * 8
assert report["machine"]["sms"] == 132 and report["machine"]["dram_read_gbs"] > 4000
for decision in report["decisions"]:
    for key in "pass site line fired choice reason alternatives".split():
        assert key in decision, key
