"""Exceptions of the library. Each is also one of Python's own, so that callers need not know it."""

from __future__ import annotations


class MakespanError(Exception):
    """Base of all exceptions of the library."""


class InvalidArgumentError(MakespanError, ValueError):
    """An argument has a value that does not fit."""

    #: Name of the argument.
    argument: str = ""
    #: Index of the element at fault, or a tuple of indices; None for the whole argument.
    index: int | tuple[int, ...] | None = None


class ParseError(MakespanError, ValueError):
    """A file does not follow its format."""


class FileError(MakespanError, OSError):
    """A file could not be read or written."""


class RangeError(MakespanError, OverflowError):
    """A sum or product of the input does not fit into its type."""


class OutOfMemoryError(MakespanError, MemoryError):
    """The work needs more memory than the limit allows or the machine has."""


class UnsupportedError(MakespanError, NotImplementedError):
    """The library does not support this."""


class DeviceError(MakespanError, RuntimeError):
    """There is no OpenCL device, or it failed."""


class InternalError(MakespanError, RuntimeError):
    """A defect of the library: a result failed a check."""


for _class in list(globals().values()):
    if isinstance(_class, type) and issubclass(_class, MakespanError):
        _class.__module__ = "makespan"
