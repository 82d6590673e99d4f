"""A page of `explain --html`: well formed, below 1 MB, nothing outside it, and data that parses and is linked.

usage: explain_html.py PAGE [with-ptx|no-ptx]
"""
import html.parser
import json
import os
import sys

VOID = {"meta", "link", "br", "hr", "img", "input"}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.data, self.title, self.scripts = [], "", "", 0

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            assert not (name in ("src", "href") and value and not value.startswith(("#", "data:"))), (name, value)
            assert not name.startswith("on"), name
        if tag == "script":
            self.scripts += 1
        if tag not in VOID:
            self.open.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open and self.open.pop()[0] == tag, f"</{tag}> at {self.getpos()}"

    def handle_data(self, text):
        tag, attributes = self.open[-1] if self.open else ("", {})
        if tag == "script" and attributes.get("id") == "data":
            self.data += text
        if tag == "title":
            self.title += text


text = open(sys.argv[1], encoding="utf-8").read()
assert os.path.getsize(sys.argv[1]) < 1_000_000
page = Page()
page.feed(text)
page.close()
assert page.open == [] and page.scripts == 2, (page.open, page.scripts)
assert "http://" not in text and "https://" not in text and "@import" not in text and "url(" not in text
data = json.loads(page.data)
assert data["files"] and data["functions"] and data["left_out"] == []
for function in data["functions"]:
    facts, loop, cuda, ptx = (function[key] for key in ("facts", "loop", "cuda", "ptx"))
    assert facts["machine"]["peak_gflops"]["f32"] > 0 and facts["decisions"]
    for line in cuda["lines"]:
        assert len(line) == 1 or 1 <= line[1] <= len(loop["lines"]), line
    for line in ptx["lines"]:
        assert len(line) == 1 or 1 <= line[1] <= len(cuda["lines"]), line
    assert any(len(line) > 1 for line in cuda["lines"])
    assert any(len(line) > 4 and line[4] for line in loop["lines"])
    for kernel in facts["kernels"]:
        assert min(n for n in kernel["limits"].values() if n is not None) == kernel["resident_blocks"]
        for access in kernel["accesses"]:
            request = access["request"]
            assert request is None or len(request["lanes"]) == 32
            if request and access["exact"] and access["kind"].startswith("shared"):
                assert request["degree"] == access["bank_degree"], access
    if sys.argv[2:] == ["no-ptx"]:
        assert ptx["lines"] == [] and ptx["why"], ptx
    if sys.argv[2:] == ["with-ptx"]:
        assert sum(len(line) > 1 for line in ptx["lines"]) > 10, len(ptx["lines"])
print(page.title)
cuts = [("source", file["text"]["left_out"]) for file in data["files"]]
cuts += [(level, function[level]["left_out"]) for function in data["functions"] for level in ("loop", "cuda", "ptx")]
if any(count for _, count in cuts):
    print("left out:", ", ".join(f"{level} {count}" for level, count in cuts if count))
