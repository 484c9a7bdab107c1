"""Makes ``python -m aotgui`` the same as the ``aotgui`` command."""

from aotgui.cli import main

raise SystemExit(main())
