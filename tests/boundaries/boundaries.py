"""Proves that a wrong include does not build, and that no include goes round the include paths.

usage: boundaries.py SOURCE_ROOT INCLUDE_PATHS_TSV COMPILER

Each line of the table is a target and the folders on its include path. For each pair of a target and a folder, one real
header of the folder is included: the compiler must find it exactly where ALLOWED says so.
"""
import pathlib
import re
import subprocess
import sys

FOLDERS = ["dsl", "frontend", "passes", "passes/simplify", "passes/recognize", "passes/decide", "passes/lower",
           "passes/predict",
           "codegen", "runtime", "api"]
ALLOWED = {
    "cdsl_dsl": {"dsl"},
    "cdsl_frontend": {"dsl", "frontend"},
    "cdsl_passes_core": {"dsl", "passes"},
    "cdsl_simplify": {"dsl", "passes", "passes/simplify"},
    "cdsl_recognize": {"dsl", "passes", "passes/recognize"},
    "cdsl_decide": {"dsl", "passes", "passes/recognize", "passes/decide"},
    "cdsl_lower": {"dsl", "passes", "passes/lower"},
    "cdsl_predict": {"dsl", "passes", "passes/predict"},
    "cdsl_codegen": {"dsl", "codegen"},
    "cdsl_runtime": {"dsl", "runtime"},
    "cdsl_api": set(FOLDERS),
}
MAY_USE_LLVM = {"cdsl_frontend", "cdsl_runtime", "cdsl_api"}
LLVM_HEADER = "llvm/ADT/StringRef.h"


def header_of(root, folder):
    """One header that lies in `folder` itself and in none of its sub-folders that are targets of their own."""
    pattern = "*.h" if folder == "passes" else "**/*.h"
    headers = sorted((root / folder).glob(pattern))
    return headers[0].relative_to(root).as_posix() if headers else None


def try_include(compiler, paths, header):
    """The compiler's complaint about an include of `header`, or nothing where it is found."""
    command = [compiler, "-std=c++20", "-E", "-x", "c++", "-o", "/dev/null", "-", *[f"-I{path}" for path in paths]]
    run = subprocess.run(command, input=f'#include "{header}"\n', text=True, capture_output=True)
    return run.stderr if run.returncode != 0 else ""


def check_include_paths(root, table, compiler):
    faults, checked = [], 0
    for line in table.read_text().splitlines():
        target, *paths = line.split("\t")
        wanted = {header_of(root, folder): folder in ALLOWED[target] for folder in FOLDERS}
        wanted[LLVM_HEADER] = target in MAY_USE_LLVM
        wanted.pop(None, None)
        for header, allowed in wanted.items():
            checked += 1
            complaint = try_include(compiler, paths, header)
            if allowed and complaint:
                faults.append(f"{target}: include of {header} fails\n{complaint}")
            if not allowed and not re.search(rf"fatal error: '?{re.escape(header)}'?:? ", complaint):
                faults.append(f"{target}: include of {header} builds, or fails for another reason\n{complaint}")
    return faults, checked


# What include paths cannot stop, since these lie in the system's own include folder or are reached by a relative path.
RULES = [
    (r'#include "(\.\./|.*/\.\./)', r".*", "climbs out of its folder"),
    (r"#include <isl/", r"(?!dsl/ranges/).*", "isl is for dsl/ranges alone"),
    (r"#include <fmt/", r".*\.h", "fmt in a header"),
    (r'#include ["<]llvm/', r"(runtime|api)/.*\.h", "LLVM in a header that is installed or embedded"),
    (r"#include <iostream>", r"(?!tools/).*", "library code prints nothing"),
    (r"\bgetenv\(", r"(?!api/environment\.cpp).*", "api/environment.cpp alone reads the environment"),
    (r"#include <(cuda|nvrtc)", r".*", "CUDA is loaded at run time"),
]


def check_text(root):
    faults, checked = [], 0
    for top in ("dsl", "frontend", "passes", "codegen", "runtime", "api", "tools"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix not in (".h", ".cpp", ".def"):
                continue
            checked += 1
            name = path.relative_to(root).as_posix()
            rules = [(pattern, why) for pattern, where, why in RULES if re.fullmatch(where, name)]
            for number, line in enumerate(path.read_text().splitlines(), 1):
                faults += [f"{name}:{number}: {why}" for pattern, why in rules if re.search(pattern, line)]
    return faults, checked


def main():
    root, table, compiler = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    faults, includes = check_include_paths(root, table, compiler)
    more, files = check_text(root)
    faults += more
    print("\n".join(faults + [f"{includes} includes tried, {files} files read, {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
