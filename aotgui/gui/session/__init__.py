"""The engine process and the session model that every view listens to."""
