"""Families of programs that grow in one way each, as large as 64 KiB: every one ends, compiled or with a located error, within
2 s of processor time and 512 MiB of memory.

usage: families.py --cuoptc PATH [--only REGEX] [--slack 1] [-j N]
"""
import argparse
import os
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from support.jobs import run_all  # noqa: E402

BYTES = 64 << 10
SECONDS, KILOBYTES = 2.0, 512 << 10


def filled(head, unit, tail, separator=""):
    """`unit` as often as it fits; {k} in it is counted."""
    pieces, size, k = [], len(head) + len(tail), 0
    while True:
        piece = unit.replace("{k}", str(k)).replace("{p}", str(max(k - 1, 0)))
        size += len(piece) + len(separator)
        if size > BYTES:
            return head + separator.join(pieces) + tail
        pieces.append(piece)
        k += 1


ONE = "fn f(x: f32[N]) -> (y: f32[N]) { "


def nested(opener, inner, closer, head=ONE + "y[i] = ", tail="; }"):
    depth = (BYTES - len(head) - len(tail) - len(inner)) // (len(opener) + len(closer))
    return head + opener * depth + inner + closer * depth + tail


def families():
    for name, unit in dict(parentheses="(", brackets="[", braces="{", minus="-", bang="!", tilde="~", plus="x[i]+", dots=".",
                           quotes='"', comments="/*", ats="@", lets="let ", ifs="if c {", ins="in ", sums="sum[i](", x="x[",
                           calls="f(", less="f<", commas=",", semicolons=";", ones="1", names="a ", equals="=", arrows="->",
                           slashes="/ ", nul="\0", high="\xff").items():
        yield name, unit * (BYTES // len(unit))
        yield name + "_inside", filled(ONE + "y[i] = ", unit, "")
    for name, unit in dict(fn="fn f(", struct="struct S {", const="const c: f32[", schedule="schedule f { y: ", reducer="reducer r(",
                           definition="def d(", expect="expect f { ", imports='import "a";\n').items():
        yield "items_" + name, unit * (BYTES // len(unit))
    yield "balanced_parentheses", nested("(", "x[i]", ")")
    yield "balanced_negations", nested("-(", "x[i]", ")")
    yield "subscripts_in_subscripts", nested("x[", "i", "]")
    yield "branches_in_branches", nested("if x[i] > 0 { ", "x[i]", " } else { 0 }")
    yield "casts_in_casts", nested("f32(", "x[i]", ")")
    yield "functions_in_functions", nested("exp(", "x[i]", ")")
    yield "reductions_in_reductions", nested("sum[j in 0..2](", "x[i]", ")")
    yield "repeats_in_repeats", nested("repeat t in 0..2 { ", "", "}", ONE, " }")
    yield "sum_left", filled(ONE + "y[i] = x[i]", " + x[i]", "; }")
    yield "sum_of_constants", filled(ONE + "y[i] = x[i]", " + {k}", "; }")
    yield "product_of_differences", filled(ONE + "y[i] = 1", " * (x[i] - {k})", "; }")
    yield "comparisons", filled(ONE + "y[i] = if true", " && x[i] < {k}", " { 1 } else { 0 }; }")
    yield "select_chain", filled(ONE + "y[i] = ", "if x[i] == {k} { {k} } else ", "{ 0 }; }")
    yield "index_chain", filled(ONE + "y[i] = ", "if i == {k} { {k} } else ", "{ 0 }; }")
    yield "select_of_reads", filled(ONE + "y[i] = ", "if i > {k} { x[i - {k}] } else ", "{ 0 }; }")
    yield "reads_with_modes", filled(ONE + "y[i] = 0", " + x[i + {k} @wrap]", "; }")
    yield "reads_with_corners", filled(ONE + "y[i] = 0", " + x[i * {k}]", "; }")
    yield "subscript_sum", filled(ONE + "y[i] = x[i", " + {k} - {k}", "]; }")
    yield "subscript_quotients", filled(ONE + "y[i] = x[(i", " + {k}) / 3 * (3", ") % 2 @clamp]; }")
    yield "intermediates", filled(ONE + "t0[i] = x[i]; ", "t{k}a[i] = x[i] + {k}; ", "y[i] = t0[i]; }")
    yield "statement_chain", ONE + "t0[i] = x[i];" + "".join(f"t{k}[i]=t{k-1}[i]+1;" for k in range(1, 3200)) + "y[i]=t9[i]; }"
    yield "statement_stencil", ONE + "t0[i] = x[i];" + "".join(f"t{k}[i]=t{k-1}[i-1@zero]+1;" for k in range(1, 2500)) + "y[i]=t9[i]; }"
    yield "overwrites", filled("fn f(inout x: f32[N]) { ", "x[i] = x[i] + {k}; ", "}")
    yield "overwrites_shifted", filled("fn f(inout x: f32[N]) { ", "x[i] = x[N - 1 - i]; ", "}")
    yield "pieces", filled("fn f(x: f32[N]) -> (y: f32[9000]) { ", "y[{k}] = 1; ", "}")
    yield "pieces_ranged", filled("fn f(x: f32[N]) -> (y: f32[N]) { ", "y[i in {k}*N/9..({k}+1)*N/9] = x[i]; ", "}")
    yield "scatters", filled("fn f(x: i32[N]) -> (h: i32[256]) { ", "scatter[i] h[x[i]] += {k}; ", "}")
    yield "reductions", ONE + "".join(f"s{k} = sum[j](x[j]*{k});" for k in range(2000)) + "y[i]=s0; }"
    yield "matrix_products", "fn f(a: f32[N, N]) -> (y: f32[N, N]) { t0[i,j] = a[i,j];" + "".join(
        f"t{k}[i,j]=sum[l](t{k-1}[i,l]*a[l,j]);" for k in range(1, 1400)) + "y[i,j]=t1399[i,j]; }"
    yield "transposes", "fn f(a: f32[N, N]) -> (y: f32[N, N]) { t0[i,j] = a[i,j];" + "".join(
        f"t{k}[i,j]=t{k-1}[j,i]+1;" for k in range(1, 2400)) + "y[i,j]=t2399[i,j]; }"
    yield "let_doubling", ONE + "let a0 = x[i];" + "".join(f"let a{k}=a{k-1}+a{k-1};" for k in range(1, 2500)) + "y[i]=a2499; }"
    yield "let_reductions", ONE + "let a0 = x[i];" + "".join(
        f"let a{k}=sum[j{k} in 0..2](a{k-1}+a{k-1});" for k in range(1, 1200)) + "y[i]=a1199; }"
    yield "def_doubling", "def d0(v) = v + v; " + "".join(f"def d{k}(v)=d{k-1}(d{k-1}(v));" for k in range(1, 2000)) + ONE + "y[i]=d1999(x[i]); }"
    yield "def_arguments", "def d0(v) = v * v; " + "".join(f"def d{k}(v)=d{k-1}(v+1)+d{k-1}(v);" for k in range(1, 1800)) + ONE + "y[i]=d30(x[i]); }"
    yield "fn_doubling", "fn f0(inout x: f32[N]) { x[i] = x[i] + 1; } " + "".join(
        f"fn f{k}(inout x: f32[N]) {{ f{k-1}(x); f{k-1}(x); }} " for k in range(1, 1000))
    yield "fn_chain", "fn f0(inout x: f32[N]) { x[i] = x[i] + 1; } " + "".join(
        f"fn f{k}(inout x: f32[N]) {{ f{k-1}(x); }} " for k in range(1, 1200))
    yield "fn_generic", "fn f0<T: float>(inout x: T[N]) { x[i] = x[i]; } " + "".join(
        f"fn f{k}<T: float>(inout x: T[N]) {{ f{k-1}(x); f{k-1}<T: f32>(x); }} " for k in range(1, 700)) + "fn g(inout x: f32[N]) { f699(x); }"
    yield "functions", filled("", "fn f{k}(x: f32[N]) -> (y: f32[N]) { y[i] = x[i] + {k}; }\n", "")
    yield "structs", "struct S0 { a: f32; } " + "".join(f"struct S{k} {{ a: S{k-1}; b: S{k-1}; }} " for k in range(1, 1500)) + "fn f(x: S1499[N]) -> (y: f32[N]) { y[i] = 0; }"
    yield "struct_arrays", "struct S0 { a: f32[99]; } " + "".join(f"struct S{k} {{ a: S{k-1}; b: f32[99]; }} " for k in range(1, 1400)) + "fn f(x: S1399[N]) -> (y: S1399[N]) { y[i] = x[i]; }"
    yield "struct_fields", filled("struct S { ", "a{k}: f32; ", "} fn f(x: S[N]) -> (y: S[N]) { y[i] = x[i]; }")
    yield "struct_soa", filled("struct S { ", "a{k}: f32; ", "} fn f(x: S[N] layout(soa)) -> (y: S[N] layout(auto)) { y[i] = x[i]; }")
    yield "struct_auto", filled("struct S { ", "a{k}: f32; ", "} fn f(x: S[N] layout(auto)) -> (y: f32[N]) { y[i] = x[i].a0 + x[i].a9; }")
    yield "struct_field_array", "struct S { a: f32[1000000000]; } fn f(x: S[N]) -> (y: S[N]) { y[i] = x[i]; }"
    yield "sizes", filled("fn f(", "x{k}: f32[N{k}], ", "z: f32[N]) -> (y: f32[N]) { y[i] = z[i]; }")
    yield "sizes_summed", "fn f(" + ", ".join(f"x{k}: f32[N{k}]" for k in range(1500)) + ") -> (y: f32[" + "+".join(f"N{k}" for k in range(1500)) + "]) { y[i] = 0; }"
    yield "sizes_guarded", "fn f(" + ", ".join(f"x{k}: f32[N{k}]" for k in range(900)) + ") -> (y: f32[N0]) { y[i] = 0" + "".join(f"+x{k}[i@zero]" for k in range(900)) + "; }"
    yield "sizes_corner", "fn f(" + ", ".join(f"x{k}: f32[N{k}]" for k in range(900)) + ") -> (y: f32[N0]) { y[i] = 0" + "".join(f"+x{k}[i+1]" for k in range(900)) + "; }"
    yield "facts", filled(ONE[:-2] + "where N % 2 == 0", ", N > {k}", " { y[i] = x[i]; }")
    yield "facts_required", filled(ONE[:-2] + "where N % 2 == 0", ", require N > {k}", " { y[i] = x[2 * i + 1]; }")
    yield "facts_modulo", filled(ONE[:-2] + "where N % 2 == 0", ", N % {k} == 0", " { y[i] = x[2 * i + 1]; }")
    yield "huge_extent", "fn f(x: f32[9223372036854775807]) -> (y: f32[9223372036854775807]) { y[i] = x[i]; }"
    yield "huge_product", "fn f(x: f32[4294967296, 4294967296]) -> (y: f32[4294967296, 4294967296]) { y[i, j] = x[i, j]; }"
    yield "huge_range", ONE + "y[i] = sum[j in 0..9223372036854775807](1.0); }"
    yield "huge_box", ONE + "t[i in 0..9223372036854775807] = 1.0; y[i] = t[i]; }"
    yield "huge_power", filled("fn f(x: f32[", "N * ", "N]) -> (y: f32[N]) { y[i] = 0; }")
    yield "huge_sum_extent", filled("fn f(x: f32[", "9223372036854775807 + ", "N]) -> (y: f32[N]) { y[i] = 0; }")
    yield "huge_literal", ONE + "y[i] = " + "9" * 60000 + "; }"
    yield "huge_real", ONE + "y[i] = 0." + "9" * 60000 + "; }"
    yield "huge_exponent", ONE + "y[i] = 1e" + "9" * 60000 + "; }"
    yield "small_exponent", ONE + "y[i] = 1e-999999999; }"
    yield "exact_products", filled(ONE + "y[i] = 1.1", " * 1.1", "; }")
    yield "exact_quotients", filled(ONE + "y[i] = 1.1", " / 3", "; }")
    yield "exact_powers", filled(ONE + "y[i] = ", "exp(", "1")
    yield "constants", filled("const w: f32[N0] = [", "1, ", "1]; " + ONE + "y[i] = w[0]; }")
    yield "constant_array", "const w: f32[30000] = [" + ",".join(["1"] * 30000) + "]; " + ONE + "y[i] = w[i @wrap]; }"
    yield "constant_matrix", "const w: f32[100, 300] = [" + ",".join("[" + ",".join("1" * 300) + "]" for _ in range(100)) + "]; " + ONE + "y[i] = w[i @wrap, 2]; }"
    yield "constant_huge", "const w: f32[1000000000, 1000000000] = [[1]]; " + ONE + "y[i] = w[0, i]; }"
    yield "tuple_wide", filled("reducer r(a: (f32", ", f32", "), b) identity 0 = a; " + ONE + "y[i] = 0; }")
    yield "binders", filled(ONE + "y[i] = sum[j in 0..2", ", k{k} in 0..2", "](1.0); }")
    yield "axes", filled("fn f(x: f32[N", ", N", "]) -> (y: f32[N]) { y[i] = 0; }")
    yield "many_let", filled(ONE, "let a{k} = x[i] + {k}; ", "y[i] = a0; }")
    yield "many_tmp", filled(ONE, "tmp t{k}: f32[N]; ", "y[i] = x[i]; }")
    yield "loops", filled("fn f(inout x: f32[N]) { ", "repeat t in 0..9 { x[i] = x[i] + {k}; } ", "}")
    yield "alongs", ONE + "along i in 1..N { " + "".join(f"let a{k} = x[i - 1] + {k};" for k in range(2000)) + " y[i] = a0; } y[0] = 1; }"
    yield "affine_guards", filled(ONE + "y[i] = if true", " && i * {k} + N < {k} * N + 7", " { x[i + 1] } else { 0 }; }")
    yield "divided_guards", filled(ONE + "y[i] = if true", " && i / {k} % 3 == 1", " { x[i + 1] } else { 0 }; }")
    yield "divided_left", filled("fn f(x: f32[N]) -> (y: f32[N]) { ", "y[i in N/{k}..N/{k}+1] = 1; ", "}")
    yield "schedule_lines", filled(ONE + "y[i] = x[i]; } schedule f { ", "y: vector(4); ", "}")
    yield "schedule_arguments", filled(ONE + "y[i] = x[i]; } schedule f { y: tile(i: 1", ", i: 2", "); }")
    yield "schedule_sizes", filled(ONE + "y[i] = x[i]; } schedule f { sizes N in {1", ", {k}", "}; }")
    yield "schedules", filled(ONE + "y[i] = x[i]; } ", "schedule f for sm_9{k} { y: vector(4); } ", "")
    yield "expectations", filled(ONE + "y[i] = x[i]; } expect f { ", "kernels <= {k}; ", "}")
    yield "generics", filled("fn f<A: size", ", N{k}: size", ">(x: f32[A]) -> (y: f32[A]) { y[i] = x[i]; }")
    yield "same_errors", filled(ONE, "y[i] = nothing{k}; ", "}")
    yield "one_line", filled(ONE, "                                             ", "y[i] = q; }")
    yield "lines", filled(ONE, "\n", "y[i] = q; }")
    yield "wide_error", ONE + "y[i] = " + "a" * 65000 + "; }"
    yield "similar_names", filled(ONE, "let abcdefgh{k} = {k}; ", "y[i] = abcdefghi; }")
    yield "cast_chain", filled(ONE + "y[i] = 0", " + f32(i32(x[i])) + f32(i64(i) / {k})", "; }")
    yield "shifts", filled("fn f(x: i32[N]) -> (y: i32[N]) { y[i] = x[i]", " << 1 >> 1", "; }")
    yield "records_with", filled("struct S { a: f32; b: f32; } fn f(x: S[N]) -> (y: S[N]) { y[i] = x[i]", " with (a: x[i].b)", "; }")
    yield "wrap_in_wrap", nested("x[i + i32(", "x[i]", ") @wrap]")
    yield "polynomial_subscript", filled(ONE + "y[i] = x[i", " * (i + {k})", " @wrap]; }")
    yield "closed_ranges", filled(ONE + "y[i] = 0", " + sum[j in 0..={k}](x[j])", "; }")
    yield "convolutions", filled(ONE + "y[i] = 0", " + sum[j in 0..3](x[i + j + {k} @zero])", "; }")
    yield "guarded_reductions", filled(ONE + "y[i] = 0", " + sum[j in 0..3 if j < i](x[j])", "; }")
    yield "argmax_pairs", ONE + "".join(f"let (a{k}, b{k}) = argmax[j](x[j]*{k});" for k in range(1300)) + "y[i] = a0; }"


def measure(command):
    """Exit status, seconds of processor time, kilobytes, and what was said, of a command that runs for 60 s at most."""
    with tempfile.TemporaryFile() as said:
        child = os.posix_spawn(command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, said.fileno(), 1),
                                                                             (os.POSIX_SPAWN_DUP2, said.fileno(), 2)])
        _, status, usage = os.wait4(child, 0)
        said.seek(0)
        return os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, usage.ru_maxrss, said.read(1 << 20).decode(errors="replace")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cuoptc", required=True)
    parser.add_argument("--only", default="", metavar="REGEX")
    parser.add_argument("--print", action="store_true", help="what each took")
    parser.add_argument("--slack", type=float, default=1, help="of the time: ctest gives 2, since machines differ and two run at once")
    parser.add_argument("-j", type=int, dest="workers")
    options = parser.parse_args()
    factor = float(os.environ.get("CDSL_TIME_FACTOR", "1"))
    cases = {name: text for name, text in families() if re.search(options.only, name)}

    def check(name):
        with tempfile.TemporaryDirectory() as scratch:
            path = pathlib.Path(scratch, "case.cdsl")
            path.write_bytes(cases[name].encode("latin-1")[:BYTES])
            # prlimit: nothing that hangs or grows may take the machine with it.
            code, seconds, kilobytes, said = measure(["/usr/bin/env", "prlimit", f"--cpu={int(10 * factor)}", options.cuoptc, str(path),
                                                      "-o", "/dev/null"])
        took = f"{seconds:.2f} s, {kilobytes >> 10} MiB"
        if options.print:
            print(f"{name:28} {code:3} {took:20} {said.splitlines()[0][-110:] if said else ''}", flush=True)
        wrong = []
        if code not in (0, 1):
            wrong = [f"exit status {code}"] + said.splitlines()[:8]
        elif code == 1 and "error:" not in said:
            wrong = ["no error is named"] + said.splitlines()[:8]
        if seconds > SECONDS * options.slack * factor or (kilobytes > KILOBYTES and factor == 1):
            wrong.append(f"took {took}")
        return wrong, took

    sys.exit(run_all(list(cases), check, options.workers))


if __name__ == "__main__":
    main()
