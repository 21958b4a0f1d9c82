"""The file of a run, its tables, and the comparison of two runs."""

import json
from dataclasses import dataclass
from pathlib import Path

VERSION = 1


SERVICES = ["record", "subscription", "asset", "gateway"]


@dataclass(frozen=True)
class Figure:
    key: str
    title: str
    # How much higher it may be, as a share.
    tolerance: float
    # How much higher it may be in any case, in one slice: what a slice happens to catch of the periodic work.
    noise: float
    # The parts in which it is counted so exactly that being higher is a failure. The others depend on the load of the
    # machine.
    held_in: tuple = (*SERVICES, "postgres", "rabbitmq")
    # What the tables divide it by.
    divisor: int = 1
    digits: int = 0

    def slack(self, operations):
        """The noise per 1,000 operations, of which a slice has so many; of memory the noise itself."""
        return self.noise if self.key == "peakBytes" else self.noise * 1000 / operations


FIGURES = [
    Figure("statements", "statements", 0.03, 6),
    Figure("roundTrips", "round trips", 0.03, 6),
    Figure("publishes", "publishes", 0.03, 6),
    Figure("bytes", "kB", 0.03, 4000, divisor=1000),
    # The servers write their logs by time.
    Figure("systemCalls", "system calls", 0.03, 100, held_in=tuple(SERVICES)),
    Figure("waits", "waits", 0.25, 200, held_in=()),
    Figure("processorSeconds", "processor s", 0.25, 0.02, held_in=(), digits=3),
    Figure("peakBytes", "peak MB", 0.25, 10_000_000, held_in=(), divisor=1_000_000),
]
# A text that is measured in part only: two statements of the same beginning and role are one.
TEXT_COUNT = 160
LEAST_CALLS = 5


class Unusable(Exception):
    """A file that is not the result of a run."""


def read(path):
    try:
        results = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Unusable(f"{path}: {error}") from error
    if not isinstance(results, dict) or results.get("version") != VERSION:
        raise Unusable(f"{path} was not written by this version of deploy/bench cost")
    return results


def write(path, results):
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


def often(statements, operations):
    """The statements that belong to the operations, by service and text: calls per 1,000 operations."""
    sums = {}
    for service, calls, text in statements:
        key = f"{service}: {text[:TEXT_COUNT]}"
        sums[key] = sums.get(key, 0) + calls * 1000 / operations
    return {key: round(calls, 1) for key, calls in sorted(sums.items()) if calls >= LEAST_CALLS}


def table(row):
    """The lines of a row's table: a line for each part that the operations cost anything."""
    lines = [["", *(figure.title for figure in FIGURES)]]
    for name, figures in row["parts"].items():
        lines.append([name, *(shown(figure, figures.get(figure.key)) for figure in FIGURES)])
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return [
        "  ".join(cell.ljust(width) if column == 0 else cell.rjust(width)
                  for column, (cell, width) in enumerate(zip(line, widths))).rstrip()
        for line in lines
    ]


def shown(figure, value):
    """A dash where it is not counted. Small values have one more digit."""
    if value is None:
        return "-"
    value /= figure.divisor
    return f"{value:,.{figure.digits or int(0.05 <= value < 100)}f}"


def is_dearer(figure, before, after, operations):
    return after - before > max(figure.slack(operations), figure.tolerance * before)


def compare(old, new):
    """The lines about what is dearer, first what is counted, and whether any of that is."""
    counted, drifting, missing = [], [], []
    for name, row in new["rows"].items():
        former = old["rows"].get(name)
        if former is None:
            missing.append(f"{name}: the earlier run does not contain this row")
            continue
        for part, figures in row["parts"].items():
            for figure in FIGURES:
                before, after = former["parts"].get(part, {}).get(figure.key), figures.get(figure.key)
                if (before is None) != (after is None):
                    missing.append(f"{name}, {part}, {figure.title}: counted in only one of the runs")
                elif before is not None and is_dearer(figure, before, after, row["operations"]):
                    is_held = part in figure.held_in and row["isHeld"]
                    (counted if is_held else drifting).append(
                        f"{name}, {part}, {figure.title}: {shown(figure, before)} before, {shown(figure, after)} now"
                        + (f" (+{100 * (after / before - 1):.1f} %)" if before else ""))
        if row["isHeld"]:
            counted.extend(f"{name}, {line}" for line in compare_statements(former, row))
    return (
        section("Higher costs than before", counted)
        + section("Higher than before, possibly because of the load of the machine", drifting)
        + section("Not compared", missing) or ["No cost is higher than before."]
    ), bool(counted)


def compare_statements(former, row):
    """The statements of a service that calls more of them than before, as an explanation."""
    statements = FIGURES[0]
    for part, figures in row["parts"].items():
        before = former["parts"].get(part, {}).get(statements.key, 0)
        after = figures.get(statements.key, 0)
        if part == "postgres" or not is_dearer(statements, before, after, row["operations"]):
            continue
        for key in sorted(row["statements"].keys() | former["statements"].keys()):
            counts = [run["statements"].get(key, 0) for run in (former, row)]
            if key.startswith(f"{part}: ") and abs(counts[1] - counts[0]) > statements.slack(row["operations"]):
                yield f"{counts[0]:g} before, {counts[1]:g} now: {key}"


def section(title, lines):
    return [f"{title}:", *(f"  {line}" for line in lines), ""] if lines else []


def drift(old, new):
    """By figure the greatest difference between two runs of the same programs, where it exceeds the noise: in the held rows
    and parts, or in all of them when the figure is held in none."""
    greatest = {}
    for name, row in new["rows"].items():
        for part, figures in row["parts"].items():
            for figure in FIGURES:
                before = old["rows"].get(name, {}).get("parts", {}).get(part, {}).get(figure.key)
                after = figures.get(figure.key)
                if None in (before, after) or not row["isHeld"] or part not in (figure.held_in or row["parts"]):
                    continue
                excess = abs(after - before) - figure.slack(row["operations"])
                share = abs(after - before) / max(before, after) if excess > 0 else 0
                greatest[figure.title] = max(greatest.get(figure.title, (0, "")), (share, f"{name}, {part}"))
    return ["Greatest difference between the runs:"] + [
        f"  {title}: " + (f"{100 * share:.1f} % ({place})" if share else "within the noise")
        for title, (share, place) in greatest.items()
    ]
