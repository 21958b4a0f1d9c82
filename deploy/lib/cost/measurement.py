"""Measures one row: all counters before, the row's steps, all counters after."""

import statistics
import time
import typing

import processes
import results
import servers
import sockets

# After the last answer: what the services still do with it, such as moving a cursor.
SETTLE_SECONDS = 0.5
# A row is measured in so many slices, of which the median counts: periodic work that is seldom, such as making
# partitions, falls into one or two of them.
SLICES = 5


def row(kind, home, counts_system_calls, idle):
    """A row as it stands in the file. `idle` is what `measured` returned while nothing was asked of the services."""
    kind.open()
    try:
        servers.settle()
        kind.run(0, kind.warm_up_steps)
        time.sleep(SETTLE_SECONDS)
        steps = kind.steps // SLICES
        slices = [
            measured(home, lambda: kind.run(first, steps), counts_system_calls)
            for first in range(kind.warm_up_steps, kind.warm_up_steps + steps * SLICES, steps)
        ]
    finally:
        kind.close()
    operations = steps * kind.operations_per_step
    return {
        "title": kind.title, "slices": SLICES, "operations": operations, "isHeld": kind.is_held,
        "seconds": round(sum(measured.elapsed for measured in slices), 1),
        "connectionsClosed": sum(measured.closed for measured in slices),
        "parts": combined([net(measured, idle, operations) for measured in slices]),
        "statements": results.often(
            [statement for measured in slices for statement in measured.statements], operations * SLICES),
    }


class Measured(typing.NamedTuple):
    # Part, figure, value.
    parts: dict
    # Seconds.
    elapsed: float
    # Connections that were closed meanwhile, whose last bytes are not known.
    closed: int
    # As `servers.statements` returns them.
    statements: list


def measured(home, work, counts_system_calls):
    """What `work` costs each part."""
    found = processes.families(home)
    calls = processes.SystemCalls(found) if counts_system_calls else None
    servers.reset_statements()
    published, connections = servers.publishes(), sockets.snapshot()
    seconds = {name: processes.processor_seconds(family) for name, family in found.items()}
    with processes.Memory(found) as memory:
        if calls:
            calls.start()
        start = time.monotonic()
        work()
        time.sleep(SETTLE_SECONDS)
        elapsed = time.monotonic() - start
        counted = calls.stop() if calls else {}
    found = {name: list(dict.fromkeys(found[name] + family)) for name, family in processes.families(home).items()}
    traffic, closed = sockets.difference(connections, sockets.snapshot(), found, servers.postgres_port())
    statements, later = servers.statements(), servers.publishes()
    parts = {}
    for name, family in found.items():
        own = [calls for service, calls, _text in statements if name in (service, "postgres")]
        sent = [count - published.get(user, 0) for user, count in later.items() if name in (user, "rabbitmq")]
        parts[name] = {
            "statements": sum(own), "publishes": sum(sent), **traffic[name], **counted.get(name, {}),
            "processorSeconds": processes.processor_seconds(family) - seconds[name],
            "peakBytes": memory.peaks()[name],
        }
    for name, missing in [("postgres", ["publishes", "roundTrips"]), ("rabbitmq", ["statements", "roundTrips"])]:
        for figure in missing:
            del parts[name][figure]
    parts["postgres"]["roundTrips"] = sum(parts[name]["roundTrips"] for name in processes.SERVICES)
    return Measured(parts, elapsed, closed, statements)


def net(measured, idle, operations):
    """Per 1,000 operations, without what the parts do in that time when nothing is asked of them. Peaks stay as they are."""
    return {
        name: {
            figure: value if figure == "peakBytes"
            else (value - idle.parts[name].get(figure, 0) * measured.elapsed / idle.elapsed) * 1000 / operations
            for figure, value in figures.items()
        } for name, figures in measured.parts.items()
    }


def combined(slices):
    """Of each figure the median of the slices; of processor time the mean, as the system's clock for it ticks 100 times a
    second; of memory the peak. What the subtraction of the idle work makes negative is nothing."""
    ways = {"processorSeconds": statistics.fmean, "peakBytes": max}
    return {
        name: {
            figure: round(max(0, ways.get(figure, statistics.median)(parts[name][figure] for parts in slices)), 4)
            for figure in figures
        } for name, figures in slices[0].items()
    }
