"""The docks, one file each."""
