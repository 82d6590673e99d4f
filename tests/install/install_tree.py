"""Installs what was built into a folder of its own and uses it as a stranger would.

usage: install_tree.py STEP --build FOLDER --work FOLDER ...

  tree       installs; the other steps use what it left
  symbols    both libraries show the functions of cdsl.h and nothing else
  examples   examples/host, found by find_package, built and run in the simulator
  pkgconfig  a C program through pkg-config, shared and static
  two_llvms  a program that calls LLVM itself and is linked with libcdsl.a
  launches   a library of machine code, on a driver that prints what it is asked for
  host_text  the sources of a library of all examples compile without a warning
  rebuild    a changed import makes a library anew; nothing changed makes nothing
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
SKIPPED = 77


def run(*command, env=None, cwd=None, check=True):
    done = subprocess.run([str(word) for word in command], env=env, cwd=cwd, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if check and done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nended with {done.returncode}:\n{done.stdout}")
    return done


def environment(options, **more):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CDSL_")}
    kept["CDSL_CACHE_DIR"] = ""
    if options.nvrtc:
        kept["CUDA_HOME"] = str(pathlib.Path(options.nvrtc).resolve().parent.parent)
    return {**kept, **more}


def has_nvrtc(options):
    return bool(options.nvrtc) and not options.nvrtc.endswith("NOTFOUND")


def library_folder(options):
    """lib, lib64 or lib/x86_64-linux-gnu, as the system has it."""
    return next((path.parent for path in options.prefix.glob("lib*/**/libcdsl.a")), options.prefix / "lib")


def tree(options):
    shutil.rmtree(options.work, ignore_errors=True)
    run(options.cmake, "--install", options.build, "--prefix", options.prefix, "--strip")
    options.lib = library_folder(options)
    for name in ["bin/cuoptc", "include/cdsl/cdsl.h", "include/cdsl/cdsl.hpp"]:
        assert (options.prefix / name).exists(), name
    for name in ["libcdsl.so", "libcdsl.so.0", "libcdsl.a", "cmake/cdsl/cdslConfig.cmake", "cmake/cdsl/cdslConfigVersion.cmake",
                 "pkgconfig/cdsl.pc"]:
        assert (options.lib / name).exists(), name
    version = run(options.prefix / "bin/cuoptc", "--version").stdout
    assert re.fullmatch(r"cuoptc \d+\.\d+\.\d+\n", version), version


def shown(options, library, *flags):
    text = run(options.nm, "--defined-only", *flags, options.lib / library).stdout
    return {line.split()[-1].split("@")[0] for line in text.splitlines() if len(line.split()) >= 3}


def symbols(options):
    header = (options.prefix / "include/cdsl/cdsl.h").read_text()
    declared = set(re.findall(r"^CDSL_API .*?\b(cdsl_\w+)\(", header, re.M))
    assert len(declared) > 20, declared
    for library, flags in [("libcdsl.so", ["-D"]), ("libcdsl.a", ["-g"])]:
        found = shown(options, library, *flags)
        assert found == declared, f"{library}: beside what cdsl.h declares {sorted(found - declared)[:9]}, missing {sorted(declared - found)[:9]}"


def configure(options, source, build, *flags):
    run(options.cmake, "-S", source, "-B", build, "-G", options.generator, f"-DCMAKE_PREFIX_PATH={options.prefix}",
        f"-DCMAKE_CXX_COMPILER={options.compiler}", f"-DCMAKE_C_COMPILER={options.c_compiler}", "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror",
        *flags, env=environment(options))
    return run(options.cmake, "--build", build, "-j2", env=environment(options))


def examples(options):
    build = options.work / "examples"
    aot = "ON" if has_nvrtc(options) else "OFF"
    configure(options, ROOT / "examples/host", build, f"-DAOT={aot}")
    for name in ["jit_saxpy", "c_program", "image_pipeline", "streams_and_threads", "typed_jit"]:
        print(run(build / name, "sim", env=environment(options)).stdout, end="")
    # Without a driver, what needs one says so: the status that a test harness takes for "skipped".
    if aot == "ON" and not shutil.which("nvidia-smi"):
        done = run(build / "typed_aot", env=environment(options), check=False)
        assert done.returncode == SKIPPED, done.stdout
        refused = run(build / "typed_aot", "sim", env=environment(options), check=False)
        assert "compiled ahead of time" in refused.stdout, refused.stdout


def pkgconfig(options):
    if shutil.which("pkg-config") is None:
        print("no pkg-config")
        sys.exit(SKIPPED)
    env = environment(options, PKG_CONFIG_PATH=str(options.lib / "pkgconfig"))
    flags = run("pkg-config", "--cflags", "--libs", "cdsl", env=env).stdout.split()
    program = options.work / "c_program"
    source = ROOT / "examples/host/c_program.c"
    run(options.c_compiler, "-std=c11", source, "-o", program, *flags, "-lm", f"-Wl,-rpath,{options.lib}")
    run(program, "sim", env=env)
    private = run("pkg-config", "--static", "--libs-only-l", "cdsl", env=env).stdout.split()
    private = [str(options.lib / "libcdsl.a") if word == "-lcdsl" else word for word in private]
    cflags = run("pkg-config", "--cflags", "cdsl", env=env).stdout.split()
    run(options.c_compiler, "-std=c11", source, "-o", program, *cflags, *private, "-lm")
    run(program, "sim", env=env)


def two_llvms(options):
    llvm = pathlib.Path(options.llvm) / "libLLVMSupport.a"
    if not llvm.exists():
        print("no LLVM of the program's own")
        sys.exit(SKIPPED)
    others = [llvm.with_name("libLLVMDemangle.a"), *(f"-l{name}" for name in ["zstd", "z"] if has_library(options, name))]
    program = options.work / "two_llvms"
    run(options.compiler, "-std=c++17", "-O1", HERE / "two_llvms.cpp", f"-I{options.prefix}/include", "-isystem", options.llvm_include,
        options.lib / "libcdsl.a", llvm, *others, "-lpthread", "-ldl", "-lrt", "-lm", "-o", program)
    print(run(program, "--factor=3", env=environment(options)).stdout, end="")
    for order in [[options.lib / "libcdsl.so", llvm], [llvm, options.lib / "libcdsl.so"]]:
        run(options.compiler, "-std=c++17", "-O1", HERE / "two_llvms.cpp", f"-I{options.prefix}/include", "-isystem", options.llvm_include,
            *order, *others, "-lpthread", "-ldl", "-lrt", "-lm", f"-Wl,-rpath,{options.lib}", "-o", program)
        run(program, "--factor=3", env=environment(options))


def has_library(options, name):
    found = run(options.compiler, f"-print-file-name=lib{name}.so").stdout.strip()
    return "/" in found or "/" in run(options.compiler, f"-print-file-name=lib{name}.a").stdout.strip()


def make_library(options, source, build, extra=""):
    project = build.with_name(build.name + "_project")
    project.mkdir(parents=True, exist_ok=True)
    (project / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(user CXX)\nfind_package(cdsl 0.1 REQUIRED)\n" + source + extra)
    return configure(options, project, build)


def launches(options):
    if not has_nvrtc(options):
        print("no NVRTC: nothing is compiled ahead of time")
        sys.exit(SKIPPED)
    build = options.work / "launches"
    make_library(options, f'cdsl_add_library(kern SOURCES "{HERE}/launches.cdsl" ARCHS 90a 80)\n'
                          f'add_executable(launches "{HERE}/launches.cpp")\ntarget_link_libraries(launches PRIVATE kern)\n', build)
    needed = run("readelf", "-d", build / "launches").stdout
    assert "libcdsl" not in needed and "libcuda" not in needed, needed
    expected = (HERE / "launches.check")
    for arch in ["90", "86"]:
        done = run(build / "launches", env=environment(options, LD_LIBRARY_PATH=options.driver, FAKE_ARCH=arch))
        checked = subprocess.run([options.filecheck, expected], input=done.stdout, text=True, capture_output=True)
        if checked.returncode != 0:
            sys.exit(f"on sm_{arch}\n{done.stdout}\n{checked.stderr}")
    for more, message in [({"FAKE_ARCH": "75"}, "holds machine code for sm_90a, sm_80; the device has compute capability 7.5"),
                          ({"FAKE_NO_DEVICE": "1"}, "the driver finds no GPU"),
                          ({"FAKE_NO_MEMORY": "1"}, "status 21: cuMemAllocAsync failed (CUDA_ERROR_OUT_OF_MEMORY)")]:
        done = run(build / "launches", env=environment(options, LD_LIBRARY_PATH=options.driver, **more))
        assert message in done.stdout, done.stdout
    without = run(build / "launches", env=environment(options))
    assert shutil.which("nvidia-smi") or "no NVIDIA driver is installed" in without.stdout, without.stdout


def rebuild(options):
    build, sources = options.work / "rebuild", options.work / "rebuild_sources"
    shutil.rmtree(build, ignore_errors=True)
    sources.mkdir(exist_ok=True)
    (sources / "lib.cdsl").write_text("def twice(x) = 2 * x;\n")
    (sources / "main.cdsl").write_text('import "lib.cdsl"\nfn double(x: f32[N]) -> (y: f32[N]) { y[i] = twice(x[i]); }\n')
    make_library(options, f'cdsl_add_library(kern SOURCES "{sources}/main.cdsl" MODE JIT DEFINES N=16)\n', build)
    made = build / "cdsl/kern/kern.cpp"
    assert "2 * x" in made.read_text() and "N=16" in made.read_text()
    again = run(options.cmake, "--build", build)
    assert "cuoptc library" not in again.stdout, again.stdout
    stamp = made.stat().st_mtime
    (sources / "lib.cdsl").write_text("def twice(x) = x + x;\n")
    os.utime(sources / "lib.cdsl", (stamp + 10, stamp + 10))
    anew = run(options.cmake, "--build", build)
    assert "cuoptc library" in anew.stdout and "x + x" in made.read_text(), anew.stdout


def host_text(options):
    """Both sources of a library of all examples, through the program's compiler."""
    files = [path for path in sorted((ROOT / "examples").glob("*.cdsl")) if path.stem != "point_field_soa"]  # has a name of the other's
    for mode in ["--jit"] + (["--arch=sm_90a"] if has_nvrtc(options) else []):
        header = options.work / f"all{mode[2:5]}.h"
        run(options.prefix / "bin/cuoptc", "library", *files, "-o", header, mode, env=environment(options))
        run(options.compiler, "-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{options.prefix}/include",
            header.with_suffix(".cpp"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("step")
    for name in ["build", "work", "cmake", "generator", "compiler", "c-compiler", "nm", "filecheck", "driver", "nvrtc", "llvm", "llvm-include"]:
        parser.add_argument("--" + name, required=True)
    options = parser.parse_args()
    options.work = pathlib.Path(options.work)
    options.prefix = options.work / "prefix"
    options.lib = library_folder(options)
    {"tree": tree, "symbols": symbols, "examples": examples, "pkgconfig": pkgconfig, "two_llvms": two_llvms, "launches": launches,
     "rebuild": rebuild, "host_text": host_text}[options.step](options)


main()
