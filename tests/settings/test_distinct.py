"""Numbers for settings."""

from __future__ import annotations

from wirespeed.settings import DistinctValues, Dscp, PortQos, SwitchTrafficClass


def test_equal_settings_have_the_same_number() -> None:
    values: DistinctValues[PortQos] = DistinctValues()
    maps = [{Dscp(26): SwitchTrafficClass(number)} for number in (3, 4, 3)]
    assert [values.number(PortQos(dscp_tc=dscp_map)) for dscp_map in maps] == [0, 1, 0]
