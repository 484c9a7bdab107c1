"""The window. No torch."""
