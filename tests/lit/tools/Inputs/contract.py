"""Checks the contract of field.cdsl on standard input."""
import json
import sys

contract = json.load(sys.stdin)
p, z = contract["parameters"][:2]
assert (p["name"], p["element"]) == ("p", "Point"), p
assert (z["name"], z["element"]) == ("z", "f32"), z
(kernel,) = contract["kernels"]
assert kernel["block"] == [256, 1, 1] and kernel["cluster"] == [1, 1, 1], kernel
assert [parameter.get("pointer_to") for parameter in kernel["parameters"][:2]] == ["Point", "f32"], kernel["parameters"]
