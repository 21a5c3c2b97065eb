"""The baseline of a lab: the results of a suite between two directly connected hosts, measured before all other steps.

Its steps are steps of the campaign: their logs are stored with the others, and --resume finds them.
"""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING

from wirespeed.benchmarks.endpoints.fabric import build_fabric
from wirespeed.benchmarks.judge.lab_baseline import Figures, figures
from wirespeed.benchmarks.run.campaign import MESHES
from wirespeed.benchmarks.run.execution import Grader
from wirespeed.benchmarks.run.grade import GradeOptions, grade
from wirespeed.benchmarks.run.result_folder import Folder
from wirespeed.benchmarks.steps.request import Request
from wirespeed.benchmarks.steps.steps import unique
from wirespeed.benchmarks.tools.reader import read
from wirespeed.errors import Refusal
from wirespeed.plan import Cable, End
from wirespeed.results.benchmarks import Run
from wirespeed.results.campaign import BASELINE, Campaign, Grade, Outcome, Step

if TYPE_CHECKING:
    from wirespeed.benchmarks.suites import Suite


def request_for_pair(request: Request, hosts: tuple[str, str], interface: str, addresses: tuple[str, str]) -> Request:
    """The same request for two directly cabled hosts: each is a copy of the plan's first, with a single interface."""
    endpoint = request.fabric.endpoints[0]
    assert endpoint.speed is not None  # every cable of a lab has one
    template = request.plan.hosts[endpoint.host]
    nic = replace(template.nics[endpoint.interface], rdma_device=None, gpu=None)
    hosts_of_pair = {
        host: replace(template, nics={interface: replace(nic, addresses=(address,))})
        for host, address in zip(hosts, addresses, strict=True)
    }
    cable = Cable(End(hosts[0], interface), End(hosts[1], interface), endpoint.speed, rail=endpoint.rail)
    plan = replace(request.plan, hosts=hosts_of_pair, switches={}, roles=dict.fromkeys(hosts, "host"), cables=(cable,))
    return replace(request, plan=plan, fabric=build_fabric(plan))


def plan_first_measurements(campaign: Campaign, suite: Suite, pair: Request) -> Campaign:
    """The campaign with the steps of the pair before its steps; a mesh measures no speed."""
    pair_steps = [step for step in unique(suite.make(pair).steps) if step.test not in MESHES]
    if not pair_steps:
        return campaign
    first = max(step.stage for step in pair_steps) + 1
    return replace(
        campaign,
        steps=(
            *(replace(step, id=f"{BASELINE}{step.id}") for step in pair_steps),
            *(replace(step, stage=step.stage + first) for step in campaign.steps),
        ),
    )


def grader(request: Request, folder: Folder, *, limited: bool) -> Grader:
    """Grade the results of a lab; the plan determines its paths, not its speeds.

    Without ``limited`` there is no baseline to compare with: figures are for information.
    """
    no_figures = Figures({}, reference=True)

    def grade_step(step: Step, outcome: Outcome, text: str) -> tuple[Grade, str | None]:
        figures = _read_figures(folder) if limited and not step.id.startswith(BASELINE) else no_figures
        return grade(request.plan, request.fabric, step, outcome, text, GradeOptions(direct=figures))

    return grade_step


def _read_figures(folder: Folder) -> Figures:
    runs: list[Run] = []
    for attempt in folder.attempts:
        if attempt.step.startswith(BASELINE) and attempt.status is Outcome.DONE:
            with contextlib.suppress(Refusal):
                runs += read(folder.text(attempt), attempt.step).runs
    return figures(runs)
