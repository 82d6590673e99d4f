"""Measures this compiler's kernels and what a CUDA user would pick instead, side by side on one GPU. See bench/README.md."""
