"""Tests of what is read off a text without running it."""
