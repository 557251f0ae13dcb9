"""The measurements behind ``docs/benchmarks.md``: ``python -m benches``.

Every figure that compares is a ratio of two programs in one session: same machine, same server,
same pictures, one after the other and several times over.
"""
