"""All references by the name of their program."""
import ref_complex
import ref_convolutions
import ref_examples
import ref_images
import ref_layers
import ref_linear
import ref_scans
import ref_stencils
from problem import REGISTRY

MODULES = (ref_complex, ref_convolutions, ref_examples, ref_images, ref_layers, ref_linear, ref_scans, ref_stencils)


def problems():
    """Every problem, in the order of their names."""
    return [REGISTRY[name] for name in sorted(REGISTRY)]
