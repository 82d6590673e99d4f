"""Writes a program that is meant to break a front end: write.py KIND FILE."""
import sys

FN = b"fn f(x: f32[N]) -> (y: f32[N]) { y[i] = %s; }\n"
KINDS = {
    "nul": b"fn f(x: f32[N]) -> (y: f32[N]) {\n  y[i] = x[i];\0\n}\n",
    "bom": b"\xef\xbb\xbf" + FN % b"x[i]",
    "bom_inside": FN % b"x[i]" + b"\xef\xbb\xbf" + b"fn g(x: f32[N]) -> (y: f32[N]) { y[i] = x[i]; }\n",
    "control": b"fn f(x: f32[N]) -> (y: f32[N]) {\n  y[i] = \x07x[i];\n}\n",
    "escape_in_comment": b"// \x1b[31mred\x1b[0m\n" + FN % b"x[i]",
    "invalid_utf8": b"// caf\xe9\n" + FN % b"x[i]",
    "overlong_utf8": b"// \xc0\xaf\n" + FN % b"x[i]",
    "lf": b"\n" * 6 + b"fn f(x: f32[N]) -> (y: f32[N]) { y[i] = q; }\n",
    "crlf": b"\r\n" * 6 + b"fn f(x: f32[N]) -> (y: f32[N]) { y[i] = q; }\r\n",
    "tabs": b"\n" * 6 + b"\tfn f(x: f32[N]) -> (y: f32[N]) { y[i] = q; }\n",
    "empty": b"",
    "only_comment": b"// nothing\n",
    "open_comment": b"/*",
    "open_comments": b"/* /* */ /*",
    "operators": b"f(=g(<)>\n",
    "long_sum": FN % b" + ".join([b"x[i]"] * 100000),
    "right_sum": FN % (b"x[i] + (" * 10000 + b"x[i]" + b")" * 10000),
    "parentheses": FN % (b"(" * 10000 + b"x[i]" + b")" * 10000),
    "open_parentheses": FN % (b"(" * 10000),
    "negations": FN % (b"-" * 10000 + b"x[i]"),
    "brackets": FN % (b"x[" * 10000 + b"0" + b"]" * 10000),
    "branches": FN % (b"if x[i] > 0 { " * 10000 + b"1" + b" } else { 0 }" * 10000),
    "else_ifs": FN % (b"".join(b"if x[i] > %d { %d } else " % (k, k) for k in range(4000)) + b"{ 0 }"),
    "blocks": b"fn f(inout x: f32[N]) { " + b"".join(b"repeat t%d in 0..2 { " % k for k in range(10000))
              + b"x[i] = 0;" + b"}" * 10000 + b"}\n",
    "long_name": b"fn f(%b: f32[N]) -> (y: f32[N]) { y[i] = %b[i]; }\n" % (b"a" * 100000, b"a" * 100000),
    "statements": b"fn f(x: f32[N]) -> (y: f32[N]) {\n  t0[i] = x[i];\n"
                  + b"".join(b"  t%d[i] = t%d[i] + 1;\n" % (k + 1, k) for k in range(2000)) + b"  y[i] = t2000[i];\n}\n",
    "lets": b"fn f(x: f32[N]) -> (y: f32[N]) {\n  let v0 = x[i];\n"
            + b"".join(b"  let v%d = v%d + v%d;\n" % (k + 1, k, k) for k in range(200)) + b"  y[i] = v200;\n}\n",
    "huge_file": b"// " + b"x" * (64 << 20),
    "expressions": FN % (b"x[i] + " + b"+".join([b"1.0"] * 1100000)),
    "many_errors": b"".join(b"fn f%d(x: f32[N]) -> (y: f32[N]) { y[i] = q; }\n" % k for k in range(30)),
    "doubling_calls": FN.replace(b"fn f", b"fn f0") % b"x[i]" + b"".join(
        b"fn f%d(x: f32[N]) -> (y: f32[N]) { a = f%d(x); y = f%d(a); }\n" % (k + 1, k, k) for k in range(20)),
    "doubling_lets": b"fn f(x: f32[N]) -> (y: f32[N]) {\n  let v0 = x[i];\n" + b"".join(
        b"  let v%d = sum[i%d in 0..2](v%d * i%d) + sum[j%d in 0..2](v%d * j%d);\n" % (k + 1, k, k, k, k, k, k)
        for k in range(30)) + b"  y[i] = v30;\n}\n",
}

if __name__ == "__main__":
    with open(sys.argv[2], "wb") as file:
        file.write(KINDS[sys.argv[1]])
