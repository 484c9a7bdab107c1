"""What crosses between the window (or a command) and the engine process, and how."""
