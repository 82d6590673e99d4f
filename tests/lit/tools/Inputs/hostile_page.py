"""Writes a page of a program whose text and name try to leave their place. usage: hostile_page.py FOLDER CUOPTC..."""
import os
import subprocess
import sys

folder, cuoptc = sys.argv[1], sys.argv[2:]
# The slashes of the name are folders.
text = ("// </script><script>alert(1)</script> <!-- <script> ]]> \\u003c &lt; \" ' ` ${x} <!--data-->\n"
        "// \u202e\u2028 h\u00e9llo \U0001f600\n"
        "fn f(x: f32[N]) -> (y: f32[N]) { y[i] = x[i] + 1.0; } // </script>\n")
name = "</title><script>alert(1)</script>/*script*/<!--data-->.cdsl"
path = os.path.join(folder, "deep", *name.split("/"))
os.makedirs(os.path.dirname(path))
open(path, "w", encoding="utf-8").write(text)
page = os.path.abspath(os.path.join(folder, "hostile.html"))
subprocess.run([*cuoptc, "explain", name, "-DN=1000", "--estimate", "--html", page], cwd=os.path.join(folder, "deep"), check=True)
whole = open(page, encoding="utf-8").read()
assert whole.count("</script>") == 2 and whole.count("<script") == 2 and "alert(1)</" not in whole
