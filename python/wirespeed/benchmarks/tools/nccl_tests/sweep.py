"""The sizes of a sweep of nccl-tests, and the rows that a report lacks.

src/common.cu, TimeTest: one row for each size from minBytes to maxBytes, for each type, operation and root.
"""

from __future__ import annotations

from wirespeed.benchmarks.logs.run_draft import Draft
from wirespeed.results.parameters import Parameters

_MAX_MISSING = 4  # sizes that a notice names
_MAX_SWEEP = 100_000  # sizes; more cannot be the header of a table that anyone prints


def find_missing_rows(draft: Draft, row_count: int) -> tuple[str, str] | None:
    """What a report with this number of rows contains, and what its options require; None where both agree."""
    sizes = _list_sizes(draft.parameters)
    if not sizes or row_count % len(sizes) == 0:
        return None
    measured = {measurement.size_bytes for measurement in draft.measurements}
    missing = [size for size in sizes if size not in measured]
    rows = f"{row_count} whole {'row' if row_count == 1 else 'rows'} of {len(sizes)} sizes"
    if len(missing) == len(sizes) - row_count:  # a collective may round the sizes that it prints
        rows += f"; none of {', '.join(f'{size} B' for size in missing[:_MAX_MISSING])}"
        rows += ", …" if len(missing) > _MAX_MISSING else ""
    return rows, f"a row for each size from {sizes[0]} B (minBytes) to {sizes[-1]} B (maxBytes)"


def _list_sizes(parameters: Parameters) -> list[int]:
    """The sizes from minBytes to maxBytes; none where the options do not bound them."""
    size, maximum = parameters.min_message_bytes, parameters.max_message_bytes
    factor, step = parameters.message_step_factor or 1, parameters.message_step_bytes or 0
    if size is None or maximum is None or (factor < 2 and step < 1) or (factor > 1 and size < 1):
        return []
    sizes: list[int] = []
    while size <= maximum and len(sizes) < _MAX_SWEEP:
        sizes.append(size)
        size = size * factor if factor > 1 else size + step
    return sizes if size > maximum else []
