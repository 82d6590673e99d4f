"""The part of scripts/demo that has data: makes the inputs, runs the examples on them, checks and draws what comes out.

usage: demo.py CUOPTC FOLDER, from the root of the repository
"""
import glob
import pathlib
import subprocess
import sys
import time

import numpy as np

from png import write_png

PARTICLE = np.dtype([(field, "<f4") for field in ("x", "y", "z", "vx", "vy", "vz", "m", "q")])


def photograph():
    """A staircase with a person, 512 x 512 grey: a public-domain photograph that Debian's python3-pywt carries."""
    folders = [path for root in sys.path for path in glob.glob(f"{root}/pywt/data/ascent.npz")]
    folders += glob.glob("/usr/lib/python3*/**/pywt/data/ascent.npz", recursive=True)
    if not folders:
        sys.exit("the photograph is missing: apt-get install python3-pywt")
    return np.load(folders[0])["data"].astype(np.uint8)


def particles(count):
    """A round cloud at rest, with charges of both signs and masses that differ."""
    random = np.random.default_rng(1)
    cloud = np.zeros(count, PARTICLE)
    for field in ("x", "y", "z"):
        cloud[field] = random.normal(0, 1, count)
    cloud["m"] = random.uniform(1, 2, count)
    cloud["q"] = random.choice([-1, 1], count)
    return cloud


class Demo:
    def __init__(self, cuoptc, folder):
        self.cuoptc = cuoptc
        self.folder = pathlib.Path(folder)

    def run(self, example, function, output, arrays, scalars=()):
        """The output of one function of an example, after saying what ran and for how long."""
        command = [self.cuoptc, "run", f"examples/{example}.cdsl", f"--fn={function}", "--device=auto",
                   f"--out-dir={self.folder}"]
        for name, array in arrays.items():
            path = self.folder / f"{example}.{name}.npy"
            np.save(path, array)
            command += ["--in", f"{name}={path}"]
        for scalar in scalars:
            command += ["--in", scalar]
        print("$", " ".join(command), flush=True)
        start = time.monotonic()
        done = subprocess.run(command)
        if done.returncode != 0:
            sys.exit(f"that failed with exit code {done.returncode}")
        print(f"  {time.monotonic() - start:.1f} s")
        return np.load(self.folder / f"{output}.npy")

    def draw(self, name, picture):
        path = self.folder / f"{name}.png"
        write_png(path, picture)
        print(f"  wrote {path}")


def compare(what, got, expected, bound):
    error = float(np.max(np.abs(got.astype(np.float64) - expected)))
    print(f"  greatest difference from NumPy's {what}: {error:.3g}")
    if not error <= bound:
        sys.exit(f"that is more than {bound}")


def shifted(picture, rows, columns):
    """The picture read `rows` down and `columns` right, the nearest pixel beyond the edge."""
    height, width = picture.shape
    down = np.clip(np.arange(height) + rows, 0, height - 1)
    right = np.clip(np.arange(width) + columns, 0, width - 1)
    return picture[np.ix_(down, right)].astype(np.float64)


def blur(demo, photo):
    got = demo.run("box_filter", "box_clamp", "v", {"u": photo.astype(np.float32)})
    near = range(-2, 3)
    compare("mean of 5 x 5 pixels", got, sum(shifted(photo, a, b) for a in near for b in near) / 25, 1e-3)
    demo.draw("photograph_blurred", got)


def edges(demo, photo):
    got = demo.run("sobel", "sobel", "edges", {"img": photo})
    smooth, slope = (1, 2, 1), (-1, 0, 1)
    places = [(a, b) for a in range(3) for b in range(3)]
    gx = sum(smooth[a] * slope[b] * shifted(photo, a - 1, b - 1) for a, b in places)
    gy = sum(slope[a] * smooth[b] * shifted(photo, a - 1, b - 1) for a, b in places)
    compare("Sobel gradient", got, np.clip(np.trunc(np.float32(np.sqrt(gx * gx + gy * gy))), 0, 255), 1)
    demo.draw("photograph_edges", got)


def density(cloud):
    """A picture of where particles are, seen along z; the positive ones brighter."""
    weight = np.where(cloud["q"] > 0, 2.0, 1.0)
    counts, _, _ = np.histogram2d(cloud["y"], cloud["x"], bins=256, range=[[-8, 8], [-8, 8]], weights=weight)
    return 255 * np.sqrt(counts / counts.max())


def push(demo, steps):
    cloud = particles(50_000)
    demo.draw("particles_before", density(cloud))
    field, dt = np.float32(1), np.float32(0.75)
    for _ in range(steps):
        before = cloud
        cloud = demo.run("particle_push", "push", "r", {"p": before}, [f"E={field}", f"dt={dt}"])
        vx = before["vx"] + dt * field * before["q"] / before["m"]
        compare("next position", cloud["x"], (before["x"] + dt * vx).astype(np.float64), 1e-4)
    demo.draw("particles_after", density(cloud))


def main():
    demo = Demo(sys.argv[1], sys.argv[2])
    photo = photograph()
    print("\n== a photograph, blurred and as edges")
    demo.draw("photograph", photo)
    blur(demo, photo)
    edges(demo, photo)
    print("\n== a cloud of charged particles in a field along x: opposite charges part")
    push(demo, 3)


if __name__ == "__main__":
    main()
