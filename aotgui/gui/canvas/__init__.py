"""The graph view: one widget that paints from numpy into a retained buffer, with an overlay on top."""
