"""Write to a pipe or file."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text


class FileConsole(Console):
    """A console whose tables have no spaces at the end of their lines when they are written to a pipe or file."""

    def print(self, *objects: Any, **options: Any) -> None:
        """Print like a console."""
        if self.is_terminal or not any(isinstance(renderable, Table) for renderable in objects):
            super().print(*objects, **options)
            return
        with self.capture() as capture:
            super().print(*objects, **options)
        for line in capture.get().splitlines():
            super().print(Text(line.rstrip()), soft_wrap=True)
