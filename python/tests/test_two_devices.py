"""Arrays on a device that is not the current one. Needs no GPU: a module stands in for CuPy's, with two devices.

As CuPy's, its arrays are made, and its kernels run, on the device that is current; as there, that must be the one where the
arrays lie. Streams belong to the device that was current when they were made, and each device has a current one.
"""

import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from nonzero import _arrays, _batch, _matrix, _plan, _solve


class Machine:
    """Which device is current, the current streams of both, and the streams that somebody waited for."""

    device, streams, waited = 0, [0, 0], []


class Device:
    def __init__(self, id):
        self.id, self.before = id, []

    def __enter__(self):  # more than once at a time, as CuPy's
        self.before.append(Machine.device)
        Machine.device = self.id

    def __exit__(self, *_):
        Machine.device = self.before.pop()


class Stream:
    def __init__(self, ptr):
        self.ptr, self.device = ptr, Machine.device

    def synchronize(self):
        Machine.waited.append((self.device, self.ptr))

    def __enter__(self):
        assert self.device == Machine.device
        self.before, Machine.streams[self.device] = Machine.streams[self.device], self.ptr

    def __exit__(self, *_):
        assert self.device == Machine.device
        Machine.streams[self.device] = self.before


class NullStream(Stream):
    """The default one of whichever device is current."""

    def __enter__(self):
        self.device = Machine.device
        super().__enter__()


class Array:
    """Of CuPy, in host memory: it says on which device it is, and lets none of its work go to another."""

    __module__ = "cupy"

    def __init__(self, array):
        self.array, self.device = array, Device(Machine.device)
        self.dtype, self.shape, self.strides = array.dtype, array.shape, array.strides

    def __dlpack_device__(self):
        return 2, self.device.id

    def here(self):
        assert Machine.device == self.device.id, f"work on device {Machine.device}, the array is on {self.device.id}"
        return self.array

    def get(self):
        with self.device:
            return self.array.copy()

    def __len__(self):
        return len(self.array)

    def __int__(self):
        return int(self.get())

    __float__ = __bool__ = None

    def __getitem__(self, i):
        with self.device:
            return Array(self.array[i])

    def __setitem__(self, i, value):
        self.here()[i] = value.here() if isinstance(value, Array) else value

    def __eq__(self, other):
        return Array(np.asarray(self.here() == other.here()))

    def __mul__(self, other):
        return Array(self.here() * other.here())

    def astype(self, dtype):
        return Array(self.here().astype(dtype))

    def copy(self):
        return Array(self.here().copy())

    def all(self):
        return bool(self.here().all())

    def min(self):
        return Array(self.here().min())

    def max(self):
        return Array(self.here().max())

    def sum(self):
        return float(self.here().sum())


@pytest.fixture(params=["from_external", "ExternalStream"])
def cupy(request, monkeypatch):
    """CuPy 14 makes a stream of a number in another way than those before."""
    made = ModuleType("cupy")
    made.empty = lambda shape, dtype: Array(np.full(shape, 7, dtype))
    made.asarray = lambda host: Array(np.array(host))
    made.ascontiguousarray = lambda a: Array(np.ascontiguousarray(a.here()))
    Streams = type("Stream", (Stream,), {"null": NullStream(0)})
    made.cuda = SimpleNamespace(Stream=Streams, get_current_stream=lambda: Stream(Machine.streams[Machine.device]))
    if request.param == "from_external":
        Streams.from_external = lambda lent: Stream(lent.__cuda_stream__()[1])
    else:
        made.cuda.ExternalStream = Stream
    monkeypatch.setitem(sys.modules, "cupy", made)
    Machine.device, Machine.streams, Machine.waited = 0, [10, 20], []
    yield made
    assert Machine.device == 0 and Machine.streams == [10, 20], "the current device and streams are the caller's again"


def at(device, array):
    with Device(device):
        return Array(np.asarray(array))


@pytest.mark.parametrize("device", [0, 1])
def test_arrays_are_made_beside_the_others(cupy, device):
    x = at(device, np.arange(12.0).reshape(3, 4))
    assert _arrays.empty_like(x, 5, np.float64).device.id == device
    assert _arrays.like(np.ones(3), x).device.id == device
    assert _arrays.like(at(1 - device, np.ones(3)), x).device.id == device
    apart = at(device, np.arange(24.0).reshape(3, 8)[:, ::2])
    together = _arrays.in_order(apart)
    assert together.device.id == device and (together.array == apart.array).all()


@pytest.mark.parametrize("device", [0, 1])
def test_streams_are_those_of_the_device(cupy, device):
    x = at(device, np.ones(3))
    assert _arrays.stream_handle(None, np.ones(3), x) == (10, 20)[device]
    _arrays.wait_for(x)
    assert Machine.waited == [(device, (10, 20)[device])]
    for given, current in ((None, (10, 20)[device]), (0, 0), (1, 0), (77, 77), (SimpleNamespace(ptr=78), 78)):
        with _arrays.made_on(given, x):
            assert Machine.device == device and Machine.streams[device] == current
            assert Machine.streams[1 - device] == (20, 10)[device]
            assert cupy.empty(3, np.float64).device.id == device
    with pytest.raises(ZeroDivisionError), _arrays.made_on(77, x):
        raise ZeroDivisionError  # the fixture looks at what is current then


@pytest.mark.parametrize("device", [0, 1])
@pytest.mark.parametrize("stream", [None, 77])
def test_solvers_begin_there(cupy, device, stream):
    A, b = SimpleNamespace(shape=(3, 3), dtype=np.dtype(np.float64)), at(device, [3.0, 4.0, 12.0])
    with _arrays.made_on(stream, b):
        assert _solve._norm(b) == 13
        for x0, wanted in ((None, 0), (2.5, 2.5), ([1.0, 2.0, 3.0], [1, 2, 3]), (at(1 - device, np.ones(3)), 1)):
            x = _solve._start(A, b, x0)
            assert x.device.id == device and (x.array == wanted).all()


@pytest.mark.parametrize("device", [0, 1])
def test_matrices_are_brought_to_their_types_there(cupy, device):
    parts = at(device, [1.0, 2.0]), at(device, np.array([0, 2])), at(device, np.array([0, 1, 2]))
    for copy in (False, True):
        found = _matrix.arrays_of((parts, (2, 3)), copy=copy)
        assert found.indices.array.dtype == np.int32 and (found.first, found.last) == (0, 2)
        assert {a.device.id for a in (found.data, found.indices, found.indptr)} == {device}
        assert found.device == f"cuda:{device}"
        found.view()
        assert Machine.waited[-3:] == [(device, (10, 20)[device])] * 3
    with pytest.raises(ValueError, match="not from 0 to 1"):
        _matrix.arrays_of((parts, (2, 2)))
    assert _batch._wide(found.indices).device.id == device
    assert _plan._equal(parts[1], found.indices) and not _plan._equal(parts[1], at(device, np.array([0, 1])))
