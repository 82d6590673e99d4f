"""ncu's sectors a request and shared-memory bank conflicts beside what `cuoptc explain` predicts, for some examples.

usage: counters.py CUOPTC RESULT.json      from the root of the repository, on a machine with ncu and a GPU
       counters.py --table RESULT.json     what such a run found, as a table
"""
import csv
import io
import json
import pathlib
import subprocess
import sys

EXAMPLES = {"saxpy": "-DN=1048576", "transpose": "-DM=1024 -DN=1024", "softmax": "-DM=1024 -DN=4096", "row_sum": "-DM=1024 -DN=4096",
            "column_sum": "-DM=1024 -DN=4096", "layer_norm": "-DM=1024 -DN=4096", "batched_gemm": "-DB=2 -DM=256 -DN=256 -DK=256",
            "point_field_aos": "-DN=1048576", "permute_4d": "-DI=32 -DJ=32 -DK=32 -DL=32", "dot": "-DN=1048576",
            "sobel": "-DH=512 -DW=512", "nbody": "-DN=2048"}
METRICS = {"load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "load_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
           "store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "store_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
           "shared_load_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
           "shared_store_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
           "shared_load_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
           "shared_store_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"}


def measured(cuoptc, name, arguments):
    command = ["ncu", "--clock-control", "none", "--csv", "--metrics", ",".join(METRICS.values()), cuoptc, "run", f"examples/{name}.cdsl",
               *arguments, "--specialize", "--random=1", "--device=cuda"]   # explain takes the sizes as constants too
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    table = done.stdout[done.stdout.find('"ID"'):]
    kernels = {}
    for row in csv.DictReader(io.StringIO(table)):
        for ours, theirs in METRICS.items():
            if row.get("Metric Name") == theirs:
                kernels.setdefault(row["Kernel Name"].split("(")[0], {})[ours] = float(row["Metric Value"].replace(",", ""))
    return kernels


def predicted(cuoptc, name, arguments):
    done = subprocess.run([cuoptc, "explain", f"examples/{name}.cdsl", *arguments, "--json", "--estimate"], capture_output=True, text=True)
    report = json.loads(done.stdout)
    return {kernel["name"]: kernel["accesses"] for kernel in report["kernels"]}


def sums(accesses, kinds):
    """Requests, sectors and further wavefronts than the ideal of some kinds of access."""
    chosen = [a for a in accesses if a["kind"] in kinds]
    requests = sum(a["requests"] for a in chosen)
    sectors = sum(a["requests"] * a["sectors_per_request"] for a in chosen)
    conflicts = sum(a["requests"] * a["wavefronts_per_request"] * (1 - 1 / a["bank_degree"]) for a in chosen if "wavefronts_per_request" in a)
    return requests, sectors, conflicts


def print_table(result):
    print("| kernel | sectors/load: ours | ncu | sectors/store: ours | ncu | loads: ours | ncu | shared conflicts: ours | ncu |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for row in json.loads(pathlib.Path(result).read_text())["rows"]:
        for kernel, ncu in row["ncu"].items():
            accesses = row["predicted"].get(kernel, [])
            loads, stores = sums(accesses, ["load"]), sums(accesses, ["store"])
            shared = sums([a for a in accesses if a["kind"].startswith("shared")], ["shared_load", "shared_store"])
            per = [loads[1] / max(1, loads[0]), ncu["load_sectors"] / max(1, ncu["load_requests"]),
                   stores[1] / max(1, stores[0]), ncu["store_sectors"] / max(1, ncu["store_requests"])]
            conflicts = ncu["shared_load_conflicts"] + ncu["shared_store_conflicts"]
            print(f"| {kernel} | " + " | ".join(f"{v:.2f}" for v in per) +
                  f" | {loads[0]:.0f} | {ncu['load_requests']:.0f} | {shared[2]:.0f} | {conflicts:.0f} |")


def main():
    if sys.argv[1] == "--table":
        return print_table(sys.argv[2])
    cuoptc, result = sys.argv[1:3]
    rows = []
    for name, arguments in EXAMPLES.items():
        row = {"name": name, "arguments": arguments, "ncu": measured(cuoptc, name, arguments.split()),
               "predicted": predicted(cuoptc, name, arguments.split())}
        rows.append(row)
        for kernel, counts in row["ncu"].items():
            loads = counts["load_sectors"] / max(1, counts["load_requests"])
            stores = counts["store_sectors"] / max(1, counts["store_requests"])
            ours = "; ".join(f"{a['kind']} {a['tensor']} {a['sectors_per_request']}/{a['bank_degree']}" for a in row["predicted"].get(kernel, []))
            print(f"{name:16} {kernel:24} ncu load {loads:.2f} store {stores:.2f} conflicts {counts['shared_load_conflicts']:.0f}"
                  f"+{counts['shared_store_conflicts']:.0f} | {ours}", flush=True)
    pathlib.Path(result).write_text(json.dumps({"command": "bench/counters.py CUOPTC RESULT.json", "rows": rows}, indent=1))


if __name__ == "__main__":
    main()
