"""Steps that commands share which run benchmarks: the folder, the run with its progress, the store, the exit code."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wirespeed.cli.campaign_output import count, fold_ends, time
from wirespeed.cli.exit import Exit

if TYPE_CHECKING:
    from wirespeed.benchmarks.run import CampaignResult, Folder, Request, RunOptions
    from wirespeed.benchmarks.run.execution import Grader
    from wirespeed.benchmarks.suites import Suite
    from wirespeed.reach import Reach
    from wirespeed.results.campaign import Campaign, Grade, Outcome, Step


def open_result_folder(verb: str, output: Path | None, campaign: Campaign, resume: bool) -> Folder:
    """Create the result folder of a campaign, or open that of an earlier run.

    Raises:
        Refusal: no folder was given, or it belongs to another campaign.
    """
    from wirespeed.benchmarks import run as running
    from wirespeed.errors import refuse

    if output is None:
        raise refuse(verb, "--output is missing", hint="add --output DIR for logs and journal, or --dry-run")
    return running.resume_folder(output, campaign) if resume else running.create_folder(output, campaign)


def execute(
    suite: Suite, request: Request, grader: Grader, folder: Folder, reach: Reach, how: RunOptions
) -> CampaignResult:
    """Run the campaign, with progress on standard error."""
    from rich.markup import escape
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Progressing

    from wirespeed.benchmarks import run as running
    from wirespeed.cli.console import err
    from wirespeed.cli.interrupt import interruptible
    from wirespeed.report.campaign import outcome

    steps = {step.id: step for step in folder.campaign.steps}

    def grade_step(step: Step, status: Outcome, text: str) -> tuple[Grade, str | None]:
        steps[step.id] = step  # including steps that narrow down
        return grader(step, status, text)

    columns = (TextColumn("{task.completed:.0f} of {task.total:.0f}"), BarColumn(), TextColumn("{task.description}"))
    with (
        interruptible() as interrupted,
        Progressing(*columns, console=err(), disable=not err().is_terminal) as progress_bar,
    ):
        task = progress_bar.add_task("", total=len(folder.campaign.steps))

        def report_progress(progress: running.Progress) -> None:
            current = f", now {len(progress.running)}: {progress.running[0].id}" if progress.running else ""
            remaining = escape(f"{time(progress.left_s)} left{current}")
            progress_bar.update(task, total=progress.total, completed=progress.count, description=remaining)
            last = progress.last
            if last is not None:
                step = steps[last.step]
                line = f"{progress.count} of {progress.total}  {step.test}  {fold_ends(step.ends)}: {outcome(last)}"
                line += f": {last.detail}" if last.detail else ""
                err().print(f"{line}  [{time(progress.left_s)} left]", markup=False, soft_wrap=True, highlight=False)

        return running.run(suite, request, folder, reach, grade_step, how, report_progress, interrupted)


def store_logs(folder: Folder, store_name: str, label: str | None, bundle: Path | None) -> None:
    """Store the logs, also of an interrupted campaign: storing them again adds new ones.

    Raises:
        Refusal: the store, the label or the bundle is refused.
    """
    from wirespeed.cli.console import err, show_problems
    from wirespeed.cli.log_files import log_files
    from wirespeed.cli.log_reader import Readers
    from wirespeed.cli.log_storage import CampaignOptions, keep, open_store

    logs = list(log_files([str(folder.path)]))
    with Readers(logs, None) as readers, open_store(store_name) as store:
        campaign, result = keep(store, logs, readers, CampaignOptions(label=label, bundle=bundle))
        name = store.name
    show_problems(result.notices, label="warning")
    show_problems(result.skipped, label="skipped")
    if campaign is not None:
        summary = f"campaign {campaign.id} {campaign.label}: {count(result.runs, 'run')} stored in {name}"
        err().print(summary, markup=False, soft_wrap=True)


def find_exit_code(result: CampaignResult) -> Exit:
    """The exit code of a campaign."""
    from wirespeed.results.campaign import Grade, Outcome

    if not result.complete:
        return Exit.INTERRUPTED
    codes = [Exit.PASSED]
    for step in result.steps:
        last = result.latest.get(step.id)
        if last is None or last.status not in (Outcome.DONE, Outcome.FAILED) or last.grade is Grade.UNKNOWN:
            codes.append(Exit.INCOMPLETE)
        if last is not None and (last.grade is Grade.BAD or last.status is Outcome.FAILED):
            codes.append(Exit.FAILED)
    return Exit.worst(*codes)
