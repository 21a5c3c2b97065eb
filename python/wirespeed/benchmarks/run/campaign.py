"""A suite on a plan: its steps, the parts that they exercise, and the steps that follow from the results."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, replace

from wirespeed.benchmarks.run.execution import Grader, ProgressCallback, RunOptions, execute
from wirespeed.benchmarks.run.isolation import FollowUp, narrow_groups, narrow_pairs
from wirespeed.benchmarks.run.mesh.result import mesh
from wirespeed.benchmarks.run.result_folder import Folder
from wirespeed.benchmarks.steps.pairing import Pair
from wirespeed.benchmarks.steps.request import Request, Steps
from wirespeed.benchmarks.steps.steps import unique
from wirespeed.benchmarks.suites import Suite, suites
from wirespeed.benchmarks.tools.reader import read
from wirespeed.errors import Refusal, refuse
from wirespeed.reach import LONGEST_COMMAND, Call, Reach
from wirespeed.results.benchmarks import Run
from wirespeed.results.campaign import Attempt, Campaign, Grade, Outcome, Step, Suspect
from wirespeed.results.mesh import ASPECTS, Mesh

_MOST_ROUNDS = 20
"""Maximum rounds of narrowing down: halving takes log2 of the hosts, so 20 rounds suffice for a million hosts."""


@dataclass(frozen=True, slots=True)
class CampaignResult:
    """A campaign that was run: its steps, including those that narrowed down, and the suspects."""

    steps: tuple[Step, ...]
    latest: dict[str, Attempt]
    suspects: tuple[Suspect, ...]
    complete: bool


def make(suite: Suite, request: Request, label: str | None = None) -> Campaign:
    """The campaign of a suite.

    Raises:
        Refusal: the suite has no steps, or the command of a step is too long.
    """
    suite_steps = suite.make(request)
    if not suite_steps.steps:
        raise _refuse_idle_suite(suite, request)
    _refuse_long_commands(request, suite_steps)
    return Campaign(
        id="",
        suite=suite.name,
        cluster=request.plan.name,
        steps=unique(suite_steps.steps),
        holds=suite_steps.holds,
        notes=tuple(suite_steps.notes),
        label=label,
    )


def _refuse_long_commands(request: Request, steps: Steps) -> None:
    """Refuse commands that ssh cannot pass on: launchers name the hosts of a job in their command."""
    for step in steps.steps:
        for command in (step.client, *([step.server] if step.server is not None else [])):
            length = Call(command.host, command.arguments, step.limit_s, command.environment).length
            if length > LONGEST_COMMAND:
                raise refuse(
                    request.plan.name,
                    f"a command of {length:,} bytes for {step.test} on {len(step.ends.split(', ')):,} hosts",
                    f"at most {LONGEST_COMMAND:,} bytes, the longest argument of ssh that Linux accepts",
                    "choose fewer hosts with -w",
                )


def _refuse_idle_suite(suite: Suite, request: Request) -> Refusal:
    """The refusal of a suite without steps, with the reason that the plan shows."""
    found = f"nothing for the suite {suite.name} to run"
    hosts = request.plan.hosts.values()
    if any(nic.rdma_device for host in hosts for nic in host.nics.values()):
        names = list(request.fabric.hosts)
        if len(names) < 2:
            found = f"only {names[0]} for the suite {suite.name}" if names else f"no host for the suite {suite.name}"
        return refuse(request.plan.name, found, "at least two hosts with NICs in one network")
    if suite.over_sockets:
        return refuse(request.plan.name, found, "two hosts with addresses in one subnet, or a cable between them")
    over_sockets = [known_suite.name for known_suite in suites().values() if known_suite.over_sockets]
    hint = f"these suites run without RDMA: {', '.join(over_sockets)}"
    return refuse(request.plan.name, f"{found}: no host has an RDMA NIC", "two RDMA NICs that reach each other", hint)


def run(
    suite: Suite,
    request: Request,
    folder: Folder,
    reach: Reach,
    grader: Grader,
    how: RunOptions,
    on_progress: ProgressCallback,
    interrupted: Callable[[], bool],
) -> CampaignResult:
    """Run a campaign, or the steps that remain, then narrow down bad results.

    Raises:
        OSError: the disk is full; attempts that were recorded before are kept.
    """
    steps = folder.campaign.steps
    complete = execute(steps, folder, reach, grader, how, on_progress, interrupted)
    next_steps = FollowUp()
    for number in range(1, _MOST_ROUNDS + 1) if complete else ():
        next_steps = follow_up(suite, request, steps, folder.latest())
        added_steps = _build_follow_up_steps(suite, request, next_steps, number)
        if not added_steps:
            break
        steps = (*steps, *added_steps)
        complete = execute(added_steps, folder, reach, grader, how, on_progress, interrupted)
        if not complete:
            break
    return CampaignResult(steps, folder.latest(), next_steps.suspects, complete)


def read_mesh(request: Request, folder: Folder, result: CampaignResult) -> Mesh | None:
    """Read the mesh that the campaign measured; None if it measured none."""
    logs = [result.latest[step.id] for step in result.steps if step.id in result.latest and step.test in MESHES]
    if not any(step.test in MESHES for step in result.steps):
        return None
    runs: list[Run] = []
    for attempt in logs:
        with contextlib.suppress(Refusal):  # the log is empty: its pairs stay unknown
            runs += read(folder.text(attempt)).runs
    return mesh(request.plan, request.fabric, runs, ASPECTS if folder.campaign.suite == _WHOLE else _QUICK)


MESHES = ("mesh ping", "mesh rdma")
_WHOLE, _QUICK = "mesh", ("ping", "route")  # the suite that tests all aspects, and the aspects of other suites


def follow_up(suite: Suite, request: Request, steps: tuple[Step, ...], latest: dict[str, Attempt]) -> FollowUp:
    """The next steps that the results so far require, and the suspects."""
    graded = [
        (step, _grade_attempt(latest[step.id])) for step in steps if step.id in latest and step.test in suite.narrows
    ]
    if suite.follow_pair is not None:
        endpoints = {endpoint.name: endpoint for endpoint in request.fabric.endpoints}
        pairs = [
            (Pair(endpoints[step.source], endpoints[step.target]), grade)
            for step, grade in graded
            if step.source in endpoints and step.target in endpoints
        ]
        return narrow_pairs(request.fabric, pairs)
    if suite.follow_group is not None:
        groups = [(tuple(step.ends.split(", ")), grade) for step, grade in graded]
        return narrow_groups((group, grade) for group, grade in groups if request.fabric.hosts.keys() >= set(group))
    return FollowUp()


def _grade_attempt(attempt: Attempt) -> Grade:
    """The grade for narrowing down: a step that did not run is bad, one with a warning good."""
    if attempt.status is not Outcome.DONE:
        return Grade.BAD
    return Grade.GOOD if attempt.grade is Grade.WARN else attempt.grade


def _build_follow_up_steps(suite: Suite, request: Request, follow_up: FollowUp, number: int) -> tuple[Step, ...]:
    steps = Steps()
    # Ports above those of the suite, so that no earlier server still uses one.
    steps.servers = 2000 + 200 * number
    for pair in follow_up.pairs if suite.follow_pair else ():
        assert suite.follow_pair is not None
        suite.follow_pair(request, steps, pair)
    for group in follow_up.groups if suite.follow_group else ():
        assert suite.follow_group is not None
        suite.follow_group(request, steps, group)
    return tuple(replace(step, id=f"narrow{number}.{step.id}") for step in unique(steps.steps))
