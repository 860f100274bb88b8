"""The mounts of a process are looked at by a descriptor that goes with whoever looked."""

import os

from tabshell.access.disk.mounts import Mounts


def descriptors():
    return len(os.listdir("/proc/self/fd"))


def test_many_looks_leave_no_descriptor_open():
    before = descriptors()
    for _ in range(20):
        Mounts().look()
    assert descriptors() == before
