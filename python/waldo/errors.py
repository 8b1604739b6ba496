"""What can go wrong; each error says what happened and what to do."""


class WaldoError(RuntimeError):
    """waldo could not do what was asked; its words are the message."""


class ServerEnded(WaldoError):
    """The server, or the connection to it, is gone. Create the environment again."""


class InvalidEpisode(WaldoError):
    """The device or waldo itself failed: the episode says nothing about whoever played it. Reset, and go on."""


class ActionError(WaldoError, ValueError):
    """What was given is no action. Nothing was done: the same step can be taken with another."""
