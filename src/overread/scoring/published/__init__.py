"""What the benchmarks' released scripts read in a reply, faults included."""
