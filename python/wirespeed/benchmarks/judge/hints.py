"""What to say on the command line where nobody says between which NICs a run was."""

from __future__ import annotations

from wirespeed.benchmarks.endpoints.nics import nics
from wirespeed.benchmarks.judge.limits import Asked
from wirespeed.plan import Plan
from wirespeed.results.benchmarks import Run
from wirespeed.results.series import ends

_TOOLS = frozenset({"perftest", "iperf3", "iperf2", "qperf", "sockperf", "ucx_perftest", "netpipe"})
_OSU = frozenset({"osu_bw", "osu_bibw", "osu_latency", "osu_put_bw", "osu_put_bibw", "osu_get_bw", "osu_mbw_mr"})


def hint(run: Run, asked: Asked, plan: Plan) -> str | None:
    """What is missing of both ends of a point-to-point test, and how to say it; None where nothing is."""
    pairwise = run.tool in _TOOLS or (run.test in _OSU and run.tool == "osu-micro-benchmarks")
    if not pairwise or (asked.source and asked.target) or ends(run) is not None:
        return None
    said = asked.source or asked.target
    option = "--to" if asked.source else "--from"
    other = next((str(at) for at in nics(plan) if said and at.host != said.partition("/")[0]), None)
    if said:
        such = f", such as {option} {other}" if other else ""
        return f"{option} is missing: the other end is taken for a NIC like {said}; say it with {option} HOST/NIC{such}"
    two = list({at.host: str(at) for at in reversed(list(nics(plan)))}.values())[-2:]
    such = f", such as --from {two[-1]} --to {two[0]}" if len(two) > 1 else ""
    return f"between which NICs it ran is not said: say it with --from HOST/NIC and --to HOST/NIC{such}"
