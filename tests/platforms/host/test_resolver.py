"""Name servers: refused where no file of the renderer names them, and read from resolv.conf."""

import re

import pytest

from platforms.host.test_networks import LENDING
from platforms.host.test_ubuntu_parse import HOST, read
from wirespeed import render
from wirespeed.cluster import read_text
from wirespeed.errors import Refusal
from wirespeed.plan import build

ETC, RUN = "/etc/resolv.conf:", "/run/systemd/resolve/resolv.conf:"


@pytest.mark.parametrize(
    ("text", "servers", "domains"),
    [
        # systemd-resolved: programs ask its stub, the servers behind it are in its own file
        (
            f"{ETC}nameserver 127.0.0.53\n{ETC}search .\n{RUN}nameserver 172.16.16.57\n{RUN}nameserver 1.1.1.1\n"
            f"{RUN}search simula.no\n",
            ("172.16.16.57", "1.1.1.1"),
            ("simula.no",),
        ),
        (f"{ETC}nameserver 127.0.0.53\n{ETC}search .\n{RUN}search .\n", (), ()),
        # no stub: the servers of systemd-resolved are not used
        (f"{ETC}nameserver 10.0.0.1 # old\n{RUN}nameserver 172.16.16.57\n", ("10.0.0.1",), ()),
        # the last "search" counts (resolv.conf(5))
        (
            f"{ETC}nameserver 10.0.0.1\n{ETC}search a.example\n{ETC}search B.example. c\n",
            ("10.0.0.1",),
            ("b.example", "c"),
        ),
        ("", (), ()),
        # the C library queries three, systemd-resolved all
        ("".join(f"{ETC}nameserver 10.0.0.{n}\n" for n in range(1, 6)), ("10.0.0.1", "10.0.0.2", "10.0.0.3"), ()),
        (
            f"{ETC}nameserver 127.0.0.53\n" + "".join(f"{RUN}nameserver 10.0.0.{n}\n" for n in range(1, 5)),
            ("10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"),
            (),
        ),
    ],
    ids=["stub", "stub without servers", "direct", "two search lines", "no file", "direct of five", "stub of four"],
)
def test_the_servers_that_programs_ask_are_read(text: str, servers: tuple[str, ...], domains: tuple[str, ...]) -> None:
    facts = read(resolver=text)
    readings = [facts.reading(HOST, f"host.resolver.{name}") for name in ("servers", "domains")]
    assert [reading.value for reading in readings if reading is not None] == [servers, domains]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (
            "ubuntu-20.04",
            "sles-15.6",
            "bond.yaml:5: abel1: bond0: found the name servers 172.16.16.57, 1.1.1.1, 8.8.8.8; expected none: wicked "
            "takes them from /etc/sysconfig/network/config",
        ),
        (
            r"ubuntu-20.04(?s:(.*?))8.8.8.8]",
            r"rhel-9.4\g<1>8.8.8.8, 9.9.9.9]",
            "bond.yaml:5: abel1: bond0: found the name servers 172.16.16.57, 1.1.1.1, 8.8.8.8, 9.9.9.9; expected 3 at "
            "most: NetworkManager writes resolv.conf, of which the C library queries no more",
        ),
        (
            r"8.8.8.8]",
            "1.1.1.1]",
            "bond.yaml:14: found the name server 1.1.1.1 twice; expected each name server once",
        ),
        (
            r"search_domains: \[simula.no\]",
            "search_domains: [simula.no, Simula.no]",
            "bond.yaml:15: found the domain simula.no twice; expected each domain once",
        ),
        (
            r" *name_servers: .*\n",
            "",
            "bond.yaml:14: found search domains of bond0 without a name server; expected name_servers beside them",
        ),
        (
            r"search_domains: \[simula.no\]",
            "search_domains: [simula_no]",
            "bond.yaml:15: found entry 1 of search_domains: 'simula_no'; expected a domain name of "
            "letters, digits, dots and hyphens",
        ),
        (
            r"(name_servers: .*\n)(.*\n.*\n.*\n)",
            r"\1\2      eth5: {address: 192.0.2.1/24, name_servers: [192.0.2.53]}\n",
            "bond.yaml:18: found name servers of bond0 and eth5; expected one list for each host",
        ),
    ],
    ids=["wicked", "four of NetworkManager", "server twice", "domain twice", "domains alone", "domain", "two lists"],
)
def test_name_servers_that_no_file_can_name_are_refused(old: str, new: str, problem: str) -> None:
    text = re.sub(r"software: .*", "", LENDING.read_text())
    with pytest.raises(Refusal) as refusal:
        list(render.files(build(read_text(re.sub(old, new, text), "bond.yaml")), ["abel1"]))
    assert problem in [str(row).partition("\n")[0] for row in refusal.value.problems]
