"""Measures and compares for `deploy/bench cost`. `deploy/lib/cost/run` starts the servers."""

import argparse
import os
import pathlib
import sys
import time

import results

IDLE_SECONDS = 30


def prepare(_arguments):
    import servers
    servers.prepare()


def measure(arguments):
    import measurement
    import processes
    from rows import ROWS

    home = pathlib.Path(os.environ["ZONDA_HOME"])
    problem = processes.SystemCalls.problem()
    if problem:
        print(f"system calls are not counted: {problem}", file=sys.stderr)
    print(f"idle for {IDLE_SECONDS} s", flush=True)
    idle = measurement.measured(home, lambda: time.sleep(IDLE_SECONDS), not problem)
    run = {
        "version": results.VERSION, "at": time.strftime("%FT%TZ", time.gmtime()), "binaries": arguments.binaries,
        "commit": arguments.commit, "cores": os.cpu_count(),
        "idle": {"seconds": round(idle.elapsed, 1), "parts": idle.parts}, "rows": {},
    }
    for row in ROWS:
        if arguments.rows and row.name not in arguments.rows:
            continue
        print(f"{row.title}: {row.operations} operations", flush=True)
        run["rows"][row.name] = measurement.row(row, home, not problem, idle)
        results.write(arguments.json, run)


def report(arguments):
    run = results.read(arguments.file)
    for row in run["rows"].values():
        print(f"\n{row['title']}, per 1,000 operations")
        print("\n".join(results.table(row)))
        if row["connectionsClosed"]:
            print(f"{row['connectionsClosed']} connections were closed during the measurement, so the number of bytes is too low")
    print()
    if arguments.against:
        lines, is_dearer = results.compare(results.read(arguments.against), run)
        print("\n".join(lines))
        return is_dearer
    if arguments.drift:
        print("\n".join(results.drift(results.read(arguments.drift), run)))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    steps = parser.add_subparsers(required=True)
    step = steps.add_parser("prepare", help="prepare the servers for counting")
    step.set_defaults(run=prepare)
    step = steps.add_parser("measure", help="measure the rows and write the file")
    step.add_argument("--json", required=True)
    step.add_argument("--binaries", required=True)
    step.add_argument("--commit", default="")
    step.add_argument("rows", nargs="*")
    step.set_defaults(run=measure)
    step = steps.add_parser("report", help="print the tables of a file")
    step.add_argument("file")
    step.add_argument("--against", help="exit with 1 if a count is higher than in this file")
    step.add_argument("--drift", help="print the greatest differences from the counts in this file, of the same binaries")
    step.set_defaults(run=report)
    arguments = parser.parse_args()
    try:
        return arguments.run(arguments)
    except results.Unusable as error:
        print(f"cost: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
