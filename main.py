"""Starts aotgui from a checkout: ``python main.py FILE``."""

from aotgui.cli import main

raise SystemExit(main())
