"""The engine process: torch and the user's code. No Qt."""
