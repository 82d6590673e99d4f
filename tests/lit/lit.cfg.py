"""The text-in, text-out suite: each file is a program and, in its comments, what cuoptc must say about it.

Substitutions: %cuoptc, FileCheck, %exits N command (the command must exit with exactly N), %python (has NumPy),
%fake (runs a command with a driver and an NVRTC that only pretend),
%examples, %root. Features: nvrtc, nvcc, asan.
"""
import os

import lit.formats

config.name = "cuoptc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".cdsl", ".lir", ".test", ".ir"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = lit_config.params.get("out", os.path.join(config.build_root, "tests", "lit", "out"))

config.substitutions += [
    ("%exits", f"{config.python} {os.path.join(config.test_source_root, 'exits.py')}"),
    ("%cuoptc", config.cuoptc),
    (r"\bFileCheck\b", config.filecheck),
    ("%python", config.python),
    ("%examples", os.path.join(config.source_root, "examples")),
    ("%root", config.source_root),
]
# A driver and an NVRTC that only pretend: memory is the host's, launches do nothing (tests/embed/fake).
fake = os.path.join(config.build_root, "tests", "embed", "fake")
config.substitutions.append(("%fake", f"env LD_LIBRARY_PATH={os.path.join(fake, 'lib64')} CUDA_HOME={fake}"))
config.environment["CDSL_CACHE_DIR"] = ""  # what a test compiles hangs on nothing that another one kept
for name in ("CDSL_MUTANT", "CDSL_MUTANT_TRACE"):  # which program is tested (tests/mutation)
    if name in os.environ:
        config.environment[name] = os.environ[name]
config.environment["PATH"] = os.pathsep.join([config.llvm_tools, os.environ["PATH"]])

for name, present in {
    "nvrtc": config.nvrtc and not config.nvrtc.endswith("NOTFOUND"),
    "nvcc": config.nvcc and not config.nvcc.endswith("NOTFOUND"),
    "asan": "address" in config.sanitize,
}.items():
    if present:
        config.available_features.add(name)
