"""Tests of the sign-off."""
