import pytest

from wirespeed.settings import ENTITIES, Compare, Host, Link, Nic, Place, get, iterate_entities, list_settings, walk
from wirespeed.settings.model import list_collections, list_fields


@pytest.mark.parametrize("entity", ENTITIES)
def test_every_field_is_a_setting_a_group_or_a_collection(entity):
    assert list_fields(entity)
    for path, setting in list_settings(entity).items():
        assert path.startswith(f"{entity.kind}.")
        assert setting.meaning


def test_places_print_from_the_outside_in():
    place = Place("leaf1").child("port", "Ethernet1/1").child("queue", "3")
    assert (str(place), place.kind, place.name) == ("leaf1 port Ethernet1/1 queue 3", "queue", "3")
    assert str(place.outer) == "leaf1 port Ethernet1/1"


def test_walk_reaches_settings_of_nested_entities():
    host = Host(nics={"ens1": Nic(link=Link(mtu=9000))})
    values = {(str(place), path): value for place, path, value in walk(host, Place("node1"))}
    assert values["node1 nic ens1", "nic.link.mtu"] == 9000
    assert values["node1 nic ens1", "nic.link.speed"] is None
    assert [str(place) for place, _ in iterate_entities(host, Place("node1"))] == ["node1", "node1 nic ens1"]


def test_a_path_that_is_no_setting_is_an_error():
    with pytest.raises(KeyError, match=r"nic\.mtu"):
        get(Nic(), "nic.mtu")


def test_collections():
    assert set(list_collections(Host)) >= {"host.nics", "host.rules"}


@pytest.mark.parametrize(
    ("compare", "intended", "found", "holds"),
    [
        (Compare.EXACT, 1, 1, True),
        (Compare.AT_LEAST, 9000, 9214, True),
        (Compare.AT_LEAST, 9000, 1500, False),
        (Compare.CONTAINS, {"a"}, {"a", "b"}, True),
        (Compare.CONTAINS, {"a": 1}, {"a": 2}, False),
        (Compare.WITHIN_3_PERCENT, 1_048_576, 1_048_000, True),
        (Compare.WITHIN_3_PERCENT, 1_048_576, 2_097_000, False),
        # Broadcom 957608-AN210, 2.2.2.1: as dkms status prints it; with a hyphen as the module reports it
        (Compare.RELEASE, "234.0.171.0", "1.10.3.234.0.171.0", True),
        (Compare.RELEASE, "1.10.3.232.0.155.5", "1.10.3-232.0.155.5", True),
        (Compare.RELEASE, "1.10.3.234.0.171.0", "1.10.3.234.0.154.0", False),
        (Compare.RELEASE, "6.8.0-111-generic", "111-generic", False),
    ],
)
def test_compare(compare, intended, found, holds):
    assert compare.holds(intended, found) is holds
