"""What the parts send and receive over TCP, from the kernel's counters of each connection (`ss`)."""

import re
import subprocess

PROCESS = re.compile(r"pid=(\d+)")
COUNTERS = {name: re.compile(rf"\b{name}:(\d+)") for name in ["bytes_sent", "bytes_received", "data_segs_out"]}


def read(text):
    """The counters of each connection, by process, local address and peer."""
    found = {}
    for line in text.splitlines():
        process, fields = PROCESS.search(line), line.split()
        if process and len(fields) > 3:
            counters = {name: pattern.search(line) for name, pattern in COUNTERS.items()}
            found[int(process[1]), fields[2], fields[3]] = {
                name: int(match[1]) if match else 0 for name, match in counters.items()}
    return found


def snapshot():
    return read(subprocess.run(
        ["ss", "--tcp", "--info", "--numeric", "--processes", "--oneline", "--no-header", "state", "established"],
        check=True, stdout=subprocess.PIPE, text=True).stdout)


def difference(before, after, families, postgres_port):
    """For each part the bytes in both directions, and the segments that it sent to PostgreSQL; and how many connections
    were closed meanwhile, whose last bytes are not known."""
    parts = {process: name for name, family in families.items() for process in family}
    sums = {name: {"bytes": 0, "roundTrips": 0} for name in families}
    for key, counters in after.items():
        if key[0] not in parts:
            continue
        former = before.get(key, dict.fromkeys(counters, 0))
        own = sums[parts[key[0]]]
        own["bytes"] += sum(counters[name] - former[name] for name in ("bytes_sent", "bytes_received"))
        if key[2].endswith(f":{postgres_port}"):
            own["roundTrips"] += counters["data_segs_out"] - former["data_segs_out"]
    closed = sum(key[0] in parts for key in before.keys() - after.keys())
    return sums, closed
