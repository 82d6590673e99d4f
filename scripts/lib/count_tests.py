"""Adds up the reports of ctest and lit, and closes with one line: 'N passed, N failed, N skipped'.

A ctest entry that ran many cases closes its output with 'N passed, N failed in N s' and counts as that many.

usage: count_tests.py CTEST_XML LIT_XML. Exits 1 where a test failed or none ran.
"""
import pathlib
import re
import sys
import xml.etree.ElementTree

CASES = re.compile(r"^(\d+) passed, (\d+) failed in ", re.MULTILINE)


def outcome_of(case):
    if case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
        return "skipped"
    if case.find("failure") is not None or case.find("error") is not None or case.get("status") == "fail":
        return "failed"
    return "passed"


def tests_in(report):
    """Yields (name, outcome, how many passed, how many failed) for each test in a JUnit report."""
    if not report.exists():
        return
    for case in xml.etree.ElementTree.parse(report).iter("testcase"):
        outcome = outcome_of(case)
        passed, failed = int(outcome == "passed"), int(outcome == "failed")
        many = CASES.findall(case.findtext("system-out") or "")
        if many:
            passed, failed = int(many[-1][0]), max(failed, int(many[-1][1]))
        yield case.get("name"), outcome, passed, failed


def main():
    ctest, lit = (list(tests_in(pathlib.Path(path))) for path in sys.argv[1:3])
    if any(test[0] == "lit" for test in ctest):
        if not lit:
            sys.exit("lit ran but reported no test")
        ctest = [test for test in ctest if test[0] != "lit"]
    tests = ctest + lit
    for name, outcome, _, _ in tests:
        if outcome != "passed":
            print(f"{outcome}: {name}")
    passed, failed = (sum(test[column] for test in tests) for column in (2, 3))
    skipped = sum(test[1] == "skipped" for test in tests)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
