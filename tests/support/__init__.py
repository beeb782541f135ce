"""What the tests share: exports made on the spot, and exact comparison."""
