"""`python -m verify` is the console script."""

from verify.cli import main

main()
