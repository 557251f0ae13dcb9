"""The arithmetic of a printed table: what its cells, totals, ranks and intervals cannot be."""
