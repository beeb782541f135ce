"""Records become facts in DuckDB, kept by their digest, so that the second question costs nothing.

`pump` feeds bytes to DuckDB as they are hashed; `database` opens connections that can reach
nothing else; `cache` keeps finished databases.
"""
