"""The report of bench --json on standard input: two sizes by two, in order, each with what it has to have."""
import json
import sys

rows = json.load(sys.stdin)
assert [(row["sizes"]["N"], row["sizes"]["S"]) for row in rows] == [(1024, 2), (1024, 3), (4096, 2), (4096, 3)], rows
for row in rows:
    assert row["function"] == "scale" and row["device"] == "fake GPU" and row["clock_mhz"] == 1500, row
    assert row["read_bytes"] == 4 * row["sizes"]["N"] and row["flop"] == 3 * row["sizes"]["N"], row
    assert row["ceilings"]["gb_per_s"] > 0 and row["ceilings"]["gflop32_per_s"] > 0, row
    for state in ("cold", "hot"):
        part = row[state]
        assert part["samples"] == 4 and part["min_us"] == part["p10_us"] == part["median_us"] == part["p90_us"] == 1000, part
        assert part["noise_percent"] == 0 and part["gb_per_s"] > 0 and part["percent_of_memory"] > 0 and part["percent_of_math"] > 0, part
