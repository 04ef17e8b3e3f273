"""Tests of what ails a run."""
