"""The rules broken one at a time, and the tests that have to notice."""
