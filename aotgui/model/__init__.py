"""What the window and the engine share: frozen data that knows neither torch, nor Qt, nor numpy."""
