"""Times of rows of the suite under other decisions than the default: what a choice is worth, on the GPU.

usage: sweep.py TABLE RESULT.json [--lib libcdsl.so] [--samples N]      from the root of the repository
A line of TABLE is a row of suite.tsv and, separated by tabs, settings as `--set` takes them, joined by commas; `-` is the
default. Settings of a row are measured interleaved on the same data, each result is checked (compare/checking.py).
"""
import argparse
import json
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from compare import worker  # noqa: E402

worker.set_environment()

import torch  # noqa: E402

from compare import cdsl, checking, contenders, suite, workloads  # noqa: E402
from compare.clock import Clock, Contender  # noqa: E402
from compare.device import Device  # noqa: E402


def ready(runtime, workload, inputs, settings):
    """A contender of ours with these settings, prepared."""
    kernel = runtime.kernel(workload.row.program, settings=[] if settings == "-" else settings.split(","))
    outputs = [torch.empty(shape, dtype=dtype, device="cuda") for dtype, shape in workload.outputs()]
    arguments = kernel.bind(workload.row.given | workload.row.sizes, [contenders.dense(x) for x in inputs],
                            [contenders.dense(y) for y in outputs])
    stream = contenders.current_stream()
    arguments.prepare(stream)

    def run():
        arguments.launch(stream)
        return outputs

    def checked():
        for output in outputs:
            contenders.poison(output)
        run()
        runtime.synchronize(stream)
        return tuple(outputs)
    return Contender(settings, run, checked=checked)


def measure(row, choices, runtime, clock, samples):
    """Median microseconds by settings, or why there is none."""
    workload = workloads.make(row)
    inputs = workload.inputs(workloads.Maker("cuda", 1))
    expected = workload.expected(*inputs)
    found, fit = {}, []
    for settings in choices:
        try:
            contender = ready(runtime, workload, inputs, settings)
            check = checking.compare(expected, contenders.as_torch(contender.checked()), checking.slack("ours", workload.outputs()))
        except (cdsl.CdslError, RuntimeError) as error:
            found[settings] = worker.describe(error)[:200]
            continue
        if not check["ok"]:
            found[settings] = f"WRONG {check['max_error']}"
            continue
        fit.append(contender)
    times = clock.measure(fit, {one.name: samples for one in fit})
    found.update({name: round(statistics.median(values), 2) for name, values in times.items() if values})
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", type=pathlib.Path)
    parser.add_argument("result", type=pathlib.Path)
    parser.add_argument("--lib", default="libcdsl.so", metavar="PATH")
    parser.add_argument("--samples", type=int, default=7, metavar="N")
    options = parser.parse_args()
    rows = {row.name: row for row in suite.load()}
    runtime = cdsl.Library(options.lib).runtime(None, "")
    clock = Clock(Device())
    results = {}
    for line in options.table.read_text().splitlines():
        name, *choices = line.split("\t")
        results[name] = measure(rows[name], choices, runtime, clock, options.samples)
        for settings, value in results[name].items():
            print(f"{name}\t{settings}\t{value}", flush=True)
        options.result.write_text(json.dumps(results, indent=1) + "\n")
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
