"""Builds and wires everything: application, main window, actions, theme."""
