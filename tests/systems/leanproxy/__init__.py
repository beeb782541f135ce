"""The usage stores of leanproxy-mcp."""
