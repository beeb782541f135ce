"""Tests of the trust layer."""
