"""Contexts and devices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _makespan

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from ._keywords import ContextKeywords


class Context(_makespan.Context):
    """Threads, devices and built kernels. Calls without a context share one with the defaults.

    The keywords are the options of a context, see `options("context")`: engine, device, threads,
    cache and tuning. `log` is a function of a level and a message, which may be called on several
    threads; `log_level` is "warning", "info" or "debug".

    >>> import makespan
    >>> context = makespan.Context(threads=1)
    >>> makespan.flow_shop([[3, 2], [1, 4]], context=context).objective
    7
    """

    __slots__ = ()

    def __new__(cls, **keywords: Unpack[ContextKeywords]) -> Self:
        return super().__new__(cls, **keywords)

    @property
    def devices(self) -> list[Device]:
        """The OpenCL devices of this machine, graphics cards first."""
        return [Device(**facts) for facts in self._devices()]

    def __repr__(self) -> str:
        return f"<Context: {self.threads} threads>"

    def __del__(self) -> None:
        # The garbage collector may take the log function apart before the threads that call it end.
        self._silence()


class Device:
    """An OpenCL device, as its driver describes it."""

    __slots__ = (
        "architecture",
        "barred_from_auto",
        "clock_megahertz",
        "compute_units",
        "device_version",
        "driver_version",
        "global_memory_bytes",
        "index",
        "kind",
        "local_memory_bytes",
        "name",
        "platform",
        "vendor",
    )
    #: Position in the list of devices.
    index: int
    name: str
    vendor: str
    platform: str
    #: gpu, accelerator, cpu or simulator, or another word.
    kind: str
    architecture: str
    compute_units: int
    clock_megahertz: int
    global_memory_bytes: int
    local_memory_bytes: int
    driver_version: str
    device_version: str
    #: Why the engine "auto" uses it only for work that the CPU can't do; None if it uses it.
    barred_from_auto: str | None

    def __init__(self, **facts: Any) -> None:
        for name, value in facts.items():
            setattr(self, name, value)

    def __repr__(self) -> str:
        return f"<Device {self.index}: {self.name}>"


def devices() -> list[Device]:
    """The OpenCL devices of this machine, graphics cards first.

    >>> import makespan
    >>> all(device.compute_units > 0 for device in makespan.devices())
    True
    """
    return Context(threads=1).devices
