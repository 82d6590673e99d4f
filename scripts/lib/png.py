"""Writes a grey picture as PNG with nothing but the standard library and NumPy."""
import struct
import zlib

import numpy


def write_png(path, picture):
    """`picture` is any two-dimensional array; values are clipped to 0..255."""
    grey = numpy.clip(numpy.rint(picture), 0, 255).astype(numpy.uint8)
    height, width = grey.shape
    rows = b"".join(b"\0" + row.tobytes() for row in grey)
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        for kind, data in ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b"")):
            checksum = zlib.crc32(kind + data)
            file.write(struct.pack(">I", len(data)) + kind + data + struct.pack(">I", checksum))
