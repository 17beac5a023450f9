"""The exceptions of the library, which also are what Python itself would throw in such a case."""


class Error(Exception):
    """What all exceptions of the library derive from."""


class InvalidArgument(Error, ValueError):
    """The call makes no sense: a wrong length, an unknown name, arrays that are no matrix."""


class BadInput(Error, ValueError):
    """Data from outside is broken: a file, or a matrix that contradicts itself."""


class Refused(Error, RuntimeError):
    """A format or kernel declines a matrix that it could only hold wastefully."""


class NoResource(Error, RuntimeError):
    """Memory or a device is missing."""


class DeviceFault(Error, RuntimeError):
    """Work on a device went wrong."""


for _kind in (Error, InvalidArgument, BadInput, Refused, NoResource, DeviceFault):
    _kind.__module__ = "nonzero"
