"""prompt2md: its samples, an independent oracle, and exports with one thing wrong."""
