"""The processes of a home: what they are, and what the system counts for them."""

import os
import pathlib
import re
import signal
import subprocess
import tempfile
import threading

from results import SERVICES

SERVERS = ["postgres", "rabbitmq"]
TICKS = os.sysconf("SC_CLK_TCK")
# Calls that wait for something or wake a thread. How many there are depends on what the other threads are doing at that
# moment, and so on the load of the machine.
WAITS = r"(futex.*|epoll_p?wait2?|poll|ppoll|select|pselect6|(clock_)?nanosleep|sched_yield)"


def main_process(home, name):
    """The process of a part: for PostgreSQL and RabbitMQ the parent of their others."""
    return int(pathlib.Path(home, "run", f"{name}.pid").read_text())


def families(home):
    """The ids of all processes of each part, its main process first."""
    parents = {}
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            parents[int(entry.name)] = int(stat_fields(entry.name)[1])
        except OSError:
            continue
    found = {}
    for name in SERVICES + SERVERS:
        found[name] = family = [main_process(home, name)]
        for process in family:
            family.extend(child for child, parent in parents.items() if parent == process)
    return found


def stat_fields(process):
    """The fields of /proc/PID/stat from the third on: the second may contain spaces."""
    return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()


def processor_seconds(family):
    """What the family has used so far, including its processes that have ended."""
    ticks = 0
    for process in family:
        try:
            fields = stat_fields(process)
        except OSError:
            continue
        ticks += sum(map(int, fields[11:13]))
        if process == family[0]:
            ticks += sum(map(int, fields[13:15]))
    return ticks / TICKS


def memory(process, key):
    """The bytes of a line of /proc/PID/status; 0 when the process has ended."""
    try:
        text = pathlib.Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    found = re.search(rf"^{key}:\s*(\d+) kB", text, re.M)
    return int(found[1]) * 1024 if found else 0


class Memory:
    """The peak of each part's memory while it is entered.

    The processes of PostgreSQL share most of their memory, so theirs is what belongs to one process alone, added up four
    times a second. The others' is the peak of the resident memory of their main process, as the system keeps it.
    """

    def __init__(self, found):
        self.families, self.anonymous, self.ended = found, 0, threading.Event()
        self.thread = threading.Thread(target=self._sample)

    def __enter__(self):
        for family in self.families.values():
            # Sets the peak to the present size.
            pathlib.Path(f"/proc/{family[0]}/clear_refs").write_text("5")
        self.thread.start()
        return self

    def __exit__(self, *_failure):
        self.ended.set()
        self.thread.join()

    def _sample(self):
        while True:
            total = sum(memory(process, "RssAnon") for process in self.families["postgres"])
            self.anonymous = max(self.anonymous, total)
            if self.ended.wait(0.25):
                return

    def peaks(self):
        return {
            name: self.anonymous if name == "postgres" else memory(family[0], "VmHWM")
            for name, family in self.families.items()
        }


class SystemCalls:
    """Counts the system calls of each part between `start` and `stop`, by the tracepoints of `perf`."""

    TOTAL = "raw_syscalls:sys_enter"
    ATTEMPTS = 10

    def __init__(self, found):
        self.families, self.running, self.folder = found, {}, None

    @staticmethod
    def waits():
        """The tracepoints of the calls that wait or wake."""
        events = pathlib.Path("/sys/kernel/tracing/events/syscalls")
        return sorted(f"syscalls:{path.name}" for path in events.glob("sys_enter_*")
                      if re.fullmatch(f"sys_enter_{WAITS}", path.name))

    @classmethod
    def problem(cls):
        """Why they cannot be counted on this machine, or None."""
        command = ["perf", "stat", "-x,", "-e", ",".join([cls.TOTAL, *cls.waits()]), "--", "true"]
        try:
            outcome = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        except OSError:
            return "perf is not installed (Debian: linux-perf)"
        if outcome.returncode or not read_perf(outcome.stderr).get(cls.TOTAL):
            return f"perf does not count them here: {outcome.stderr.strip()[:200]}"
        return None

    def start(self):
        self.folder = tempfile.TemporaryDirectory(prefix="zonda-cost-")
        for name, family in self.families.items():
            self.running[name] = self._count(name, family)

    def _count(self, name, family):
        """Starts a perf for a part. It ends immediately when one of the processes has just ended, as those of PostgreSQL's
        connections do: then it is started again for the others."""
        path = pathlib.Path(self.folder.name, name)
        for _attempt in range(self.ATTEMPTS):
            alive = [process for process in family if pathlib.Path(f"/proc/{process}").exists()]
            # Counting begins when perf has said that it is ready, and ends when it has said that it has stopped.
            control, acknowledged = os.pipe(), os.pipe()
            child = subprocess.Popen(
                ["perf", "stat", "-x,", "-o", str(path), "-D", "-1", "--control", f"fd:{control[0]},{acknowledged[1]}",
                 "-e", ",".join([self.TOTAL, *self.waits()]), "-p", ",".join(map(str, alive))],
                pass_fds=[control[0], acknowledged[1]], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            os.close(control[0])
            os.close(acknowledged[1])
            counter = child, path, control[1], acknowledged[0]
            if self._order(counter, b"enable\n"):
                return counter
            self._end(counter)
        raise RuntimeError(f"perf ended {self.ATTEMPTS} times when it should count the calls of {name}")

    @staticmethod
    def _order(counter, command):
        """Whether perf has taken the command; otherwise it has ended."""
        _child, _path, control, acknowledged = counter
        try:
            os.write(control, command)
        except BrokenPipeError:
            return False
        return bool(os.read(acknowledged, 16))

    @staticmethod
    def _end(counter):
        child, _path, control, acknowledged = counter
        child.send_signal(signal.SIGINT)
        status = child.wait()
        os.close(control)
        os.close(acknowledged)
        return status

    def stop(self):
        """For each part the calls that neither wait nor wake, and those that do."""
        stopped = {name: self._order(counter, b"disable\n") for name, counter in self.running.items()}
        counted = {}
        for name, counter in self.running.items():
            status, path = self._end(counter), counter[1]
            if not stopped[name]:
                raise RuntimeError(f"perf ended with {status} while it counted the calls of {name}")
            counts = read_perf(path.read_text())
            total = counts.pop(self.TOTAL, 0)
            counted[name] = {"systemCalls": total - sum(counts.values()), "waits": sum(counts.values())}
        self.folder.cleanup()
        return counted


def read_perf(text):
    """The counts in the output of `perf stat -x,` by event. An event that never occurred is "<not counted>"."""
    counts = {}
    for line in text.splitlines():
        fields = line.split(",")
        if len(fields) > 2 and ":" in fields[2]:
            counts[fields[2]] = int(fields[0]) if fields[0].isdigit() else 0
    return counts
