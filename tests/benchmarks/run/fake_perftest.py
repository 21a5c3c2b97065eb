"""A program instead of ib_write_bw and ib_write_lat: it listens and connects as they do, and prints a table.

Real perftest needs RDMA devices. This replaces its behaviour towards a runner, not its numbers: a server
that listens on a TCP port, a client that connects to it, a table in perftest's form. ``slow`` names devices of slow
NICs as HOST/DEVICE, ``dead`` hosts whose servers exit at once; the host is the one of the ssh command.
"""

from __future__ import annotations

import sys
from pathlib import Path

HOSTS = ("node1", "node2", "node3", "node4")

_PROGRAM = """#!{python} -S
import os, socket, sys, time
arguments = sys.argv[1:]
def option(name, default=""):
    return arguments[arguments.index(name) + 1] if name in arguments else default
target = arguments[-1] if arguments and arguments[-1] in {hosts!r} else None
port, device = int(option("-p")), option("-d")
name = os.path.basename(sys.argv[0])
if target is None:
    with socket.create_server(("", port)) as listening:
        with listening.accept()[0]:
            time.sleep({seconds})
    sys.exit(0)
if target in {dead!r}:
    print("Couldn't connect to " + target + ":" + str(port), file=sys.stderr)
    sys.exit(1)
socket.create_connection(("127.0.0.1", port)).close()
time.sleep({seconds})
gigabits = {rate} / 3 if target + ":" + device in {slow!r} else {rate}
print("-" * 87)
kind = "BW" if name.endswith("bw") else "Latency"
print("                    RDMA_Write " + ("Bidirectional " if "-b" in arguments else "") + kind + " Test")
print(" Dual-port       : OFF\\t\\tDevice         : " + device)
print(" Number of qps   : " + option("-q", "1") + "\\t\\tTransport type : IB")
print(" Connection type : RC\\t\\tUsing SRQ      : OFF")
print(" PCIe relax order: ON\\n TX depth        : 128\\n CQ Moderation   : 100\\n Mtu             : 4096[B]")
print(" Link type       : Ethernet\\n GID index       : 3\\n Max inline data : 0[B]\\n rdma_cm QPs\\t : OFF")
print(" Data ex. method : Ethernet\\n" + "-" * 87)
if kind == "BW":
    print(" #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]")
    print(" 1048576    500000           0.00               %.2f              0.046" % gigabits)
else:
    print(" #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]"
          "   99% percentile[usec]   99.9% percentile[usec]")
    print(" 8       10000          2.10           9.20         2.20               2.21        0.10            2.40"
          "                    3.10")
print("-" * 87)
"""


def install(
    folder: Path,
    slow: tuple[str, ...] = (),
    dead: tuple[str, ...] = (),
    seconds: float = 0.0,
    rate: float = 190.0,
    hosts: tuple[str, ...] = HOSTS,
) -> None:
    """Put the programs, and a numactl without effect, into a folder; ``rate`` is what good NICs reach, in Gb/s."""
    folder.mkdir(exist_ok=True)
    text = _PROGRAM.format(python=sys.executable, hosts=hosts, slow=slow, dead=dead, seconds=seconds, rate=rate)
    for name in ("ib_write_bw", "ib_write_lat"):
        (folder / name).write_text(text)
    (folder / "numactl").write_text('#!/bin/sh\nshift 2\nexec "$@"\n')
    for program in folder.iterdir():
        program.chmod(0o755)
