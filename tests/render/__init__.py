"""Tests of the renderers, on results built by hand."""
