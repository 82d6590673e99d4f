"""C++ source as tokens: enough of the lexer to find operators, constants and statements, and where an operand ends.

Whitespace on both sides tells a binary operator from a template's bracket, a pointer or a reference: the sources are formatted by
clang-format, which guarantees it.
"""
import dataclasses
import re

KINDS = re.compile(
    r"""(?P<directive>^[ \t]*\#(?:[^\n]|\\\n)*)
      | (?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<string>(?:u8|[uUL])?R"(?P<delimiter>[^\s()\\]*)\(.*?\)(?P=delimiter)"|(?:u8|[uUL])?"(?:\\.|[^"\\\n])*")
      | (?P<character>'(?:\\.|[^'\\\n])+')
      | (?P<number>\.?\d(?:[eEpP][+-]|'\w|[\w.])*)
      | (?P<name>[A-Za-z_]\w*)
      | (?P<mark><=>|->\*|<<=|>>=|\.\.\.|::|->|\+\+|--|<<|>>|[<>=!+\-*/%&|^]=|&&|\|\||\S)""",
    re.MULTILINE | re.DOTALL | re.VERBOSE)

PRECEDENCE = {"*": 10, "/": 10, "%": 10, "+": 9, "-": 9, "<<": 8, ">>": 8, "<=>": 7, "<": 6, ">": 6, "<=": 6, ">=": 6,
              "==": 5, "!=": 5, "&": 4, "^": 3, "|": 2, "&&": 1, "||": 0}
ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}
# What ends an operand at its own depth, whatever the operator.
ENDS = ASSIGNMENTS | {",", ";", "?", ":", "return", "else", "throw", "case"}
OPENING, CLOSING = {"(": ")", "[": "]", "{": "}"}, {")": "(", "]": "[", "}": "{"}


@dataclasses.dataclass
class Token:
    kind: str
    text: str
    start: int
    end: int
    partner: int = -1  # of a bracket: the index of the other one


class Source:
    """The tokens of a text, without comments and directives."""

    def __init__(self, text):
        self.text = text
        self.tokens = [Token(m.lastgroup if m.lastgroup != "delimiter" else "string", m.group(), m.start(), m.end())
                       for m in KINDS.finditer(text)]
        self.tokens = [t for t in self.tokens if t.kind not in ("comment", "directive")]
        open_brackets = []
        for index, token in enumerate(self.tokens):
            if token.kind != "mark":
                continue
            if token.text in OPENING:
                open_brackets.append(index)
            elif token.text in CLOSING:
                token.partner = open_brackets.pop()
                self.tokens[token.partner].partner = index

    def spaced(self, index):
        """Whether whitespace stands on both sides."""
        token = self.tokens[index]
        return self.text[token.start - 1].isspace() and self.text[token.end].isspace()

    def binary(self, index):
        """The precedence of a binary operator, else None."""
        token = self.tokens[index]
        return PRECEDENCE.get(token.text) if token.kind == "mark" and self.spaced(index) else None

    def left_operand(self, index, precedence):
        """Index of the first token of what stands left of an operator of that precedence."""
        k = index - 1
        while k >= 0:
            token = self.tokens[k]
            if token.kind == "mark" and token.text in CLOSING:
                k = token.partner - 1
                continue
            if token.kind in ("mark", "name") and (token.text in ENDS or token.text in OPENING):
                break
            other = self.binary(k)
            if other is not None and other < precedence:
                break
            k -= 1
        return k + 1

    def right_operand(self, index, precedence):
        """Index after the last token of what stands right of it."""
        k = index + 1
        while k < len(self.tokens):
            token = self.tokens[k]
            if token.kind == "mark" and token.text in OPENING:
                k = token.partner + 1
                continue
            if token.kind == "mark" and (token.text in ENDS or token.text in CLOSING):
                break
            other = self.binary(k)
            if other is not None and other <= precedence:
                break
            k += 1
        return k

    def slice(self, first, last):
        """The text of tokens first to last - 1."""
        return self.text[self.tokens[first].start:self.tokens[last - 1].end]
