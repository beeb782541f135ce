"""The tie-out: verdicts, and figures changed one at a time."""
