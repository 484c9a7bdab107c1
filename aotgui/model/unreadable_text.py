"""What is wrong with a text that a person wrote in one of our small languages, and where."""

from __future__ import annotations

from typing import ClassVar


class UnreadableTextError(ValueError):
    """A text cannot be read; ``str`` is one sentence with the place, ``message`` the sentence without it.

    Attributes:
        what: what the text should be, as a noun.
        message: what is wrong.
        position: 0-based character where it goes wrong.
        details: the text with a mark under the place.
    """

    what: ClassVar[str] = "text"

    def __init__(self, message: str, text: str, position: int) -> None:
        super().__init__(f"The {self.what} cannot be read at character {position + 1}: {message}.")
        self.message = f"{message[0].upper()}{message[1:]}."
        self.position = position
        self.details = f"{text}\n{' ' * position}^"
