"""Long runs against hostile input, by hand: see README.md."""
