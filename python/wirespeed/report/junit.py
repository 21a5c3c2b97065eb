"""A report as JUnit XML, for CI pipelines.

One suite per device with one case per check and place, one suite per benchmark run with one case per judged
measurement, one per pair matrix, one per comparison and one per history. JUnit has no *warn* and no *unknown*: a
warning is a passed case with the word in ``system-out``; an unknown result is an error with a separate type, so that
no pipeline counts it as passed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from xml.etree.ElementTree import Element, ElementTree, SubElement, indent, tostring

from wirespeed.report import campaign_comparison, peers, relations, runs, wording
from wirespeed.report.ranking import counts
from wirespeed.results.benchmarks import RunStatus
from wirespeed.results.campaign_history import Comparison, Difference, History
from wirespeed.results.findings import Finding, Status
from wirespeed.results.peers import Matrix
from wirespeed.results.report import Report
from wirespeed.results.verdicts import JudgedRun, Judgement, Relation, Verdict

_TAGS = {"fail": "failure", "unknown": "error", "error": "error", "skip": "skipped"}


def text(report: Report, all_findings: Sequence[Finding] = ()) -> str:
    """The XML document. It contains no character that XML 1.0 forbids.

    Of ``all_findings``, those that the report does not show have one case per status that is no pass, in a separate
    suite: a pipeline counts them although a filter hides them.
    """
    root = Element("testsuites", name=wording.line(report.cluster) or _name_report(report))
    for device, findings in _group_by_device(report.findings).items():
        suite = _add_suite(root, device, report.recorded)
        for finding in findings:
            _add_finding(suite, finding)
        _set_counts(suite)
    _add_hidden(root, report, all_findings)
    for run in report.runs:
        suite = _add_suite(root, f"{runs.name_run(run, '->')} ({run.file})", report.recorded)
        for verdict in run.verdicts:
            if verdict.judgement is not Judgement.SKIP:
                _add_verdict(suite, run, verdict)
        if not run.status.is_intact:
            _incomplete_run(suite, run)
        elif runs.is_without_verdict(run):
            case = SubElement(suite, "testcase", classname=wording.line(run.tool), name="the log contains a bandwidth")
            _add_outcome(case, Judgement.UNKNOWN.value, runs.NO_BANDWIDTH, run.file)
        _set_counts(suite)
    if report.relations:
        _add_relations(_add_suite(root, "runs compared with each other", report.recorded), report.relations)
    for result in report.peers:
        for matrix in result.matrices:
            _add_matrix(_add_suite(root, f"peers: {matrix.title}", report.recorded), matrix)
    for comparison in report.comparisons:
        name = f"{comparison.a.label} to {comparison.b.label}"
        _add_comparison(_add_suite(root, name, comparison.b.started or report.recorded), comparison)
    for history in report.histories:
        latest = history.campaigns[-1] if history.campaigns else None
        name = f"history of {wording.plural(len(history.campaigns), 'campaign')}"
        _add_history(_add_suite(root, name, (latest.started if latest else None) or report.recorded), history)
    _set_counts(root)
    indent(ElementTree(root))
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def _name_report(report: Report) -> str:
    """The name of the suites; results may have no cluster."""
    return "history" if report.histories else "comparison" if report.comparisons else "benchmarks"


def _group_by_device(findings: Iterable[Finding]) -> Mapping[str, list[Finding]]:
    devices: dict[str, list[Finding]] = {}
    for finding in findings:
        devices.setdefault(finding.device, []).append(finding)
    return devices


def _add_suite(root: Element, name: str, recorded: str | None) -> Element:
    suite = SubElement(root, "testsuite", name=wording.line(name))
    if recorded is not None:
        suite.set("timestamp", wording.line(recorded))
    return suite


def _add_finding(suite: Element, finding: Finding) -> None:
    case = SubElement(
        suite,
        "testcase",
        classname=wording.line(finding.check),
        name=wording.format_place(finding.device, finding.place),
    )
    message = f"{finding.summary}: {wording.join_lines(finding.found)}" if finding.found else finding.summary
    if finding.cause:
        message = f"follows from {wording.format_cause([finding])}: {message}"
    _add_outcome(
        case, Status.SKIP.value if finding.cause else finding.status.value, message, "\n".join(_format_details(finding))
    )


def _add_hidden(root: Element, report: Report, all_findings: Sequence[Finding]) -> None:
    """Add a suite with the numbers of the findings that are not shown, as cases that fail as those would."""
    shown_counts, every = counts(report.findings), counts(all_findings)
    hidden_counts = {
        status: every[status] - shown_counts[status] for status in every if status.value in ("fail", "unknown", "error")
    }
    if not any(number > 0 for number in hidden_counts.values()):
        return
    suite = _add_suite(root, "findings that are not shown", report.recorded)
    for status, number in hidden_counts.items():
        if number > 0:
            message = f"{wording.plural(number, 'finding')} with the status {status.value}, not shown"
            case = SubElement(suite, "testcase", classname="hidden", name=f"findings with the status {status.value}")
            _add_outcome(case, status.value, message, message)
    _set_counts(suite)


def _format_details(finding: Finding) -> Iterable[str]:
    yield finding.summary
    for label, value in (
        ("expected", finding.expected),
        ("found", finding.found),
        ("estimated impact", wording.impact(finding.impact)),
    ):
        if value:
            yield f"{label}: {value}"
    yield from (f"why a warning: {reason}" for reason in finding.warning_reasons)
    yield from (f"evidence: {source}" for source in finding.evidence)
    for fix in finding.fix:
        yield f"fix: {fix.sentence}" + (f" ({fix.consequence})" if fix.consequence else "")
        yield from (f"  {command}" for command in fix.commands)


def _add_verdict(suite: Element, run: JudgedRun, verdict: Verdict) -> None:
    measurement = verdict.measurement
    name = " ".join(filter(None, (measurement.metric.value, measurement.label, wording.size(measurement.size_bytes))))
    classname = ".".join(filter(None, (run.tool, run.test)))
    case = SubElement(suite, "testcase", classname=wording.line(classname), name=wording.line(name))
    measured = wording.quantity(measurement.value, measurement.unit)
    lines = [verdict.reason, f"measured: {measured} ({run.file}:{measurement.line})"]
    for label, bound in (("physical limit", verdict.physical), ("reachable limit", verdict.reachable)):
        if bound is not None:
            lines.append(f"{label}: {wording.quantity(bound.value, bound.unit)}, limited by {bound.bottleneck}")
    if run.bottlenecks and verdict.judgement is not Judgement.PASS:
        lines.append(f"cause in this run: {runs.format_bottlenecks(run)}")
    _add_outcome(case, verdict.judgement.value, f"{measured}: {verdict.reason}", "\n".join(lines))


def _incomplete_run(suite: Element, run: JudgedRun) -> None:
    """Add a case for a run that did not end well."""
    case = SubElement(suite, "testcase", classname=wording.line(run.tool), name="the run is complete")
    reason = run.error or runs.ENDED_EARLY
    fatal = runs.format_fatal_error(run, "->")
    details = f"{run.file}\nfirst fatal error: {fatal}" if fatal else run.file
    _add_outcome(
        case, "fail" if run.status is RunStatus.FAILED else "unknown", f"{run.status.value}: {reason}", details
    )


def _add_relations(suite: Element, results: Iterable[Relation]) -> None:
    """Add a case for each relative gate and test."""
    for relation in results:
        case = SubElement(suite, "testcase", classname="relative-gate", name=relations.title(relation))
        lines = [relation.reason, f"{relation.of.condition}: {relations.side(relation.of)}"]
        lines += [f"{relation.to.condition}: {relations.side(relation.to)}"] if relation.to else []
        lines += [f"measured: {location}"] if (location := relations.format_location(relation.of)) else []
        _add_outcome(case, relation.judgement.value, relation.reason, "\n".join(lines))
    _set_counts(suite)


def _add_matrix(suite: Element, matrix: Matrix) -> None:
    """Add a case for each peer group, and one for each suspect: slow once is an error, not a failure."""
    for group in matrix.groups:
        case = SubElement(suite, "testcase", classname="peers.group", name=wording.line(group.name))
        if group.expected is None:
            _add_outcome(case, "unknown", f"{group.cells} results are too few to compare", group.name)
    for suspect in matrix.suspects:
        name = f"{suspect.kind.value} {suspect.name} {suspect.pattern.value}"
        case = SubElement(suite, "testcase", classname="peers.suspect", name=wording.line(name))
        retest_lines = [] if suspect.confirmed else ["measured once; repeat to confirm:", *suspect.retest]
        lines = [suspect.because, *suspect.evidence, *retest_lines]
        _add_outcome(
            case, "fail" if suspect.confirmed else "unknown", peers.suspect_title(suspect, matrix), "\n".join(lines)
        )
    _set_counts(suite)


_COMPARED = {
    Difference.WORSE: "fail",
    Difference.NOT_PROVEN: "unknown",
    Difference.TOO_FEW_VALUES: "unknown",
}


def _add_comparison(suite: Element, comparison: Comparison) -> None:
    """Add a case for each series in both campaigns."""
    for row in comparison.series:
        case = SubElement(suite, "testcase", classname="compared", name=campaign_comparison.series_title(row.series))
        medians = f"{wording.number(row.a.median)} to {wording.quantity(row.b.median, row.series.unit)}"
        _add_outcome(case, _COMPARED.get(row.difference, "pass"), f"{row.difference.value}: {medians}", row.reason)
    for joint in comparison.joint_changes:
        name = f"{campaign_comparison.series_title(joint.series)}, all pairs jointly"
        case = SubElement(suite, "testcase", classname="compared", name=name)
        change = campaign_comparison.describe_joint_change(joint)
        _add_outcome(case, _COMPARED.get(joint.difference, "pass"), f"{joint.difference.value} {change}", change)
    _set_counts(suite)


def _add_history(suite: Element, history: History) -> None:
    """Add a case for each series: one that got worse and has not changed since has failed."""
    labels = {campaign.id: campaign.label for campaign in history.campaigns}
    for entry in history.series:
        series = entry.series
        name = " ".join(filter(None, (wording.series(series), series.metric.value, wording.size(series.size_bytes))))
        case = SubElement(suite, "testcase", classname="history", name=wording.line(name))
        last = entry.steps[-1] if entry.steps else None
        if len(entry.points) < history.fewest:
            counted = wording.plural(len(entry.points), "campaign")
            message = f"{counted} of the {history.fewest} needed to find a change point"
            _add_outcome(case, "unknown", message, name)
        elif last is not None and last.difference is Difference.WORSE:
            levels = f"{wording.number(last.before)} to {wording.quantity(last.after, series.unit)}"
            since = f"since campaign {labels.get(last.campaign, last.campaign)}"
            change = f", {100 * last.change:+.1f} %" if last.change is not None else ""
            message = f"worse {since}: {levels}{change}"
            _add_outcome(case, "fail", message, f"{message}; p = {last.p:.2g}")
    _set_counts(suite)


def _add_outcome(case: Element, status: str, message: str, details: str) -> None:
    if status in _TAGS:
        outcome = SubElement(case, _TAGS[status], message=wording.line(message))
        if status != "skip":
            outcome.set("type", status)
        outcome.text = wording.clean(details)
    elif status == "warn":
        SubElement(case, "system-out").text = wording.clean(f"warn: {details}")


def _set_counts(element: Element) -> None:
    """Set the counts that readers of JUnit expect on suites."""
    element.set("tests", str(sum(1 for _ in element.iter("testcase"))))
    element.set("failures", str(sum(1 for _ in element.iter("failure"))))
    element.set("errors", str(sum(1 for _ in element.iter("error"))))
    element.set("skipped", str(sum(1 for _ in element.iter("skipped"))))
