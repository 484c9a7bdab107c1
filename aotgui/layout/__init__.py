"""Where nodes go: a pure function from a graph and options to positions and routes. numpy, no Qt, no torch."""
