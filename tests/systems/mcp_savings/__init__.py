"""mcp-savings: JavaScript's own JSON, an independent program, and exports with one thing wrong."""
