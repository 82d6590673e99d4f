"""Where a source may be mutated, and into what.

A Site replaces text[start:end] by `form` with the mutant's number in it. Forms hold both the original and the mutated program;
which of them is right for the types at hand the compiler says (mutate.py asks it), not this file.
"""
import dataclasses
import re

from tokens import ASSIGNMENTS, OPENING, Source

COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
SIGNS = {"+": "-", "-": "+"}
LOGIC = {"&&": "||", "||": "&&"}
# Where a mutant cannot be chosen at run time. A check of the compiler's own is excluded too: it never fails in a right compiler, so that
# weakening it changes nothing that a test could see.
CONSTANT = {"static_assert", "using", "enum", "template", "case"}
CHECKS = {"CDSL_CHECK", "CDSL_UNREACHABLE"}


@dataclasses.dataclass
class Site:
    file: str
    rule: str
    start: int
    end: int
    form: str        # with @ for the condition that is true in the mutant
    line: int = 0
    column: int = 0
    context: str = ""  # the line's text, which of the file's equal lines it is, and where in it: survives edits elsewhere

    def key(self):
        return "|".join((self.file, self.rule, self.context))


def choice(mutated, original):
    return f"(@ ? {mutated} : {original})"


def fixed_regions(source):
    """Ranges of tokens that the compiler evaluates, and arguments of checks."""
    out = []
    for index, token in enumerate(source.tokens):
        if token.kind != "name":
            continue
        if token.text == "constexpr":
            if source.tokens[index - 1].text == "if":
                out.append((index, source.tokens[index + 1].partner))
            else:
                out.append((index, end_of_declaration(source, index)))
        elif token.text == "case":
            out.append((index, source.right_operand(index, -1)))
        elif token.text in CONSTANT:
            out.append((index, end_of_declaration(source, index)))
        elif token.text in CHECKS:
            out.append((index, source.tokens[index + 1].partner))
    return out


def end_of_declaration(source, index):
    """The `;` that ends a declaration, or the `}` of a function's body."""
    k = index
    while k < len(source.tokens) and source.tokens[k].text != ";":
        token = source.tokens[k]
        if token.kind == "mark" and token.text in OPENING:
            body = token.text == "{" and source.tokens[k - 1].text in (")", "const", "noexcept", "override")
            k = token.partner
            if body:
                return k
        k += 1
    return k


def operators(source):
    for index, token in enumerate(source.tokens):
        for rule, table in (("comparison", COMPARISONS), ("sign", SIGNS), ("logic", LOGIC)):
            if token.kind != "mark" or token.text not in table or not source.spaced(index):
                continue
            precedence = source.binary(index)
            first, last = source.left_operand(index, precedence), source.right_operand(index, precedence)
            if first == index or last == index + 1:
                continue
            left, right = source.slice(first, index), source.slice(index + 1, last)
            yield index, rule, first, last, choice(f"{left} {table[token.text]} {right}", f"{left} {token.text} {right}")


def conditions(source):
    """Of `if` and `while`, behind a declaration too; of `?:`."""
    for index, token in enumerate(source.tokens):
        first = last = None
        if token.text in ("if", "while") and source.tokens[index + 1].text == "(":
            first, last = index + 2, source.tokens[index + 1].partner
            for k in range(first, last):
                if source.tokens[k].text == ";" and source.right_operand(k, -1) == last:
                    first = k + 1
            if source.right_operand(first - 1, -1) != last:
                continue  # a declaration is the condition
        elif token.text == "?" and token.kind == "mark":
            first, last = source.left_operand(index, -1), index
        if first is not None:
            text = source.slice(first, last)
            yield index, "condition", first, last, choice(f"!({text})", f"static_cast<bool>({text})")


def constants(source):
    for index, token in enumerate(source.tokens):
        if token.kind == "number" and re.fullmatch(r"\d+", token.text):
            value = int(token.text)
            if source.tokens[index - 1].text in ("[", "<") and source.tokens[index + 1].text in ("]", ">"):
                continue
            yield index, "constant", index, index + 1, choice(str(value - 1 if value > 1 else value + 1), token.text)
        elif token.text in ("true", "false"):
            yield index, "boolean", index, index + 1, choice("false" if token.text == "true" else "true", token.text)


def extremes(source):
    for index, token in enumerate(source.tokens):
        if token.text in ("min", "max") and source.tokens[index - 1].text == "::" and source.tokens[index - 2].text == "std":
            other = "max" if token.text == "min" else "min"
            k = index + 1
            if source.tokens[k].text == "<":
                while source.tokens[k].text != "(":
                    k += 1
            if source.tokens[k].text != "(":
                continue
            last = source.tokens[k].partner + 1
            rest = source.slice(index + 1, last)
            yield index, "extreme", index - 2, last, choice(f"std::{other}{rest}", f"std::{token.text}{rest}")


def truths(source):
    """`return` of a function whose type is written bool."""
    functions = []  # of each open brace: whether a `return` in it is one of a bool; None where the outer one says
    for index, token in enumerate(source.tokens):
        if token.text == "{" and token.kind == "mark":
            functions.append(returns_bool(source, index))
        elif token.text == "}" and token.kind == "mark":
            functions.pop()
        elif token.text == "return" and next((f for f in reversed(functions) if f is not None), False):
            last = source.right_operand(index, -1)
            while source.tokens[last].text != ";":
                last = source.right_operand(last, -1)
            text = source.slice(index + 1, last)
            yield index, "return", index + 1, last, choice(f"!({text})", f"static_cast<bool>({text})")


def returns_bool(source, brace):
    k = brace - 1
    if source.tokens[k].text in ("const", "override", "noexcept"):
        k -= 1
    if source.tokens[k].text == "bool" and source.tokens[k - 1].text == "->":
        return True
    if source.tokens[k].text != ")":
        return False if source.tokens[k].text == "]" or source.tokens[k - 1].text == "->" else None
    k = source.tokens[k].partner - 1
    if source.tokens[k].text in ("if", "for", "while", "switch", "catch"):
        return None
    if source.tokens[k].kind != "name":
        return False  # a lambda without a type
    while source.tokens[k - 1].text == "::":
        k -= 2
    return source.tokens[k - 1].text == "bool"


def statements(source):
    """Calls, assignments and steps that stand alone."""
    for index, token in enumerate(source.tokens):
        if token.kind != "name" and token.text not in ("++", "--", "*") or not starts_statement(source, index):
            continue
        k = index + (token.kind != "name")
        called = False
        while source.tokens[k].kind == "name":
            k += 1
            while source.tokens[k].text in ("(", "["):
                called = source.tokens[k].text == "("
                k = source.tokens[k].partner + 1
            if source.tokens[k].text not in ("::", ".", "->"):
                break
            called = False
            k += 1
        if source.tokens[k].text in ASSIGNMENTS:
            called, k = True, source.right_operand(k, -1)
            while source.tokens[k].text in ("?", ":"):
                k = source.right_operand(k, -1)
        elif source.tokens[k].text in ("++", "--"):
            called, k = True, k + 1
        if source.tokens[k].text == ";" and (called or token.text in ("++", "--")):
            yield index, "statement", index, k + 1, f"{{ if (!@) {{ {source.slice(index, k + 1)} }} }}"


def starts_statement(source, index):
    before = source.tokens[index - 1]
    if source.tokens[index].text in ("return", "break", "continue", "if", "for", "while", "switch", "throw", "else", "case"):
        return False
    if before.text == ")" and before.kind == "mark":
        return source.tokens[before.partner - 1].text in ("if", "for", "while")
    if before.text == ":" and before.kind == "mark":
        label = source.tokens[source.left_operand(index - 1, -1) - 1].text
        return label == "case" or source.tokens[index - 2].text == "default"
    return before.text in (";", "{", "}", "else")


def sites_of(file, text):
    """Every site of a file, in the order of the text."""
    source = Source(text)
    fixed = fixed_regions(source)
    starts = [0] + [m.end() for m in re.finditer("\n", text)]
    found, seen = [], {}
    for rules in (operators, conditions, constants, extremes, truths, statements):
        for index, rule, first, last, form in rules(source):
            if any(low <= index <= high for low, high in fixed) or "@" in source.slice(first, last):
                continue
            found.append((source.tokens[index].start, Site(file, rule, source.tokens[first].start, source.tokens[last - 1].end, form)))
    lines = text.split("\n")
    for number, line in enumerate(lines):
        count = seen[line.strip()] = seen.get(line.strip(), 0) + 1
        lines[number] = line.strip() + ("" if count == 1 else f" #{count}")
    for position, site in found:
        site.line = next(k for k in range(len(starts), 0, -1) if starts[k - 1] <= position)
        site.column = position - starts[site.line - 1] + 1
        before = text[starts[site.line - 1]:position]
        site.context = f"{len(before.lstrip())}: {lines[site.line - 1]}"
    return [site for _, site in sorted(found, key=lambda item: (item[0], item[1].rule))]
