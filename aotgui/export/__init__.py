"""Graphs and captures as files and text. No Qt, no torch."""
