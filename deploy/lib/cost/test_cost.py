"""Tests of the parsing and the comparison: python3 -m unittest discover deploy/lib/cost"""

import copy
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import measurement
import processes
import results
import servers
import sockets

CONNECTIONS = """\
0 0 127.0.0.1:24161 127.0.0.1:52012 users:(("postgres",pid=20,fd=6)) bbr bytes_sent:65 bytes_acked:65 bytes_received:82 \
segs_out:56 data_segs_out:54 data_segs_in:53 bbr:(bw:1bps)
0 0 127.0.0.1:52012 127.0.0.1:24161 users:(("zonda-record",pid=10,fd=9)) bbr bytes_sent:82 bytes_received:65 \
segs_out:59 data_segs_out:53 data_segs_in:54
0 0 127.0.0.1:40000 127.0.0.1:5672 users:(("zonda-record",pid=10,fd=8)) bbr segs_out:2
0 0 127.0.0.1:40000 127.0.0.1:5672
"""
FAMILIES = {"record": [10], "postgres": [19, 20]}


def run(**figures):
    """The results of a run with one row, `saves`, in which the record service has these figures."""
    return {"version": results.VERSION, "rows": {"saves": {
        "title": "saves", "operations": 1000, "isHeld": True, "connectionsClosed": 0, "parts": {"record": figures},
        "statements": {"record: select 1": figures.get("statements", 0)}}}}


class Reading(unittest.TestCase):
    def test_connections_are_read_by_process_and_addresses(self):
        found = sockets.read(CONNECTIONS)
        self.assertEqual(len(found), 3)
        self.assertEqual(found[10, "127.0.0.1:52012", "127.0.0.1:24161"], {
            "bytes_sent": 82, "bytes_received": 65, "data_segs_out": 53})
        self.assertEqual(set(found[10, "127.0.0.1:40000", "127.0.0.1:5672"].values()), {0})

    def test_only_what_a_service_sends_to_postgresql_is_a_round_trip(self):
        before = sockets.read(CONNECTIONS)
        after = sockets.read(CONNECTIONS.replace("data_segs_out:53", "data_segs_out:57").replace(
            "bytes_sent:82", "bytes_sent:182").replace("data_segs_out:54", "data_segs_out:60"))
        sums, closed = sockets.difference(before, after, FAMILIES, 24161)
        self.assertEqual(sums, {"record": {"bytes": 100, "roundTrips": 4}, "postgres": {"bytes": 0, "roundTrips": 0}})
        self.assertEqual(closed, 0)

    def test_a_new_connection_counts_from_nothing_and_a_closed_one_is_reported(self):
        connections = sockets.read(CONNECTIONS)
        sums, _ = sockets.difference({}, connections, FAMILIES, 24161)
        self.assertEqual(sums["record"], {"bytes": 147, "roundTrips": 53})
        self.assertEqual(sockets.difference(connections, {}, FAMILIES, 24161)[1], 3)

    @unittest.skipIf(processes.SystemCalls.problem(), "perf does not count here")
    def test_a_process_that_has_ended_before_counting_begins_does_not_end_the_measurement(self):
        ended = subprocess.Popen(["true"])
        ended.wait()
        calls = processes.SystemCalls({"postgres": [os.getpid(), ended.pid]})
        calls.start()
        os.getppid()
        self.assertGreater(calls.stop()["postgres"]["systemCalls"], 0)

    def test_perf_counts_are_read_and_an_event_that_never_occurred_is_zero(self):
        self.assertEqual(processes.read_perf(
            "# started on Mon\n\n66108,,raw_syscalls:sys_enter,1,100.00,,\n"
            "<not counted>,,syscalls:sys_enter_futex,0,100.00,,\n"),
            {"raw_syscalls:sys_enter": 66108, "syscalls:sys_enter_futex": 0})

    def test_publishes_are_read_by_user_without_the_prefix(self):
        self.assertEqual(servers.read_publishes('{ok, [{"zonda-record",60}, {"zonda", 7},{[],3}]}'), {
            "record": 60, "zonda": 7})

    def test_a_file_of_something_else_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "file.json")
            for text in ["", "[]", '{"version": 0}']:
                path.write_text(text)
                with self.assertRaises(results.Unusable):
                    results.read(path)
            with self.assertRaises(results.Unusable):
                results.read(path.with_suffix(".absent"))
            results.write(path, run(statements=1))
            self.assertEqual(results.read(path), run(statements=1))


    def test_the_help_names_every_row(self):
        folder = pathlib.Path(__file__).parent
        rows = re.search(r"^ROWS = (.*)", (folder / "rows.py").read_text(), re.M | re.S)[1]
        self.assertIn('rows="' + " ".join(re.findall(r'"(\w+)": [A-Z]', rows)) + '"\n', (folder / "run").read_text())


class Computing(unittest.TestCase):
    def test_idle_work_is_subtracted_by_time_and_the_rest_is_per_1000_operations(self):
        slice_ = measurement.Measured({"record": {"statements": 2020, "peakBytes": 5}}, 10, 0, [])
        idle = measurement.Measured({"record": {"statements": 60, "peakBytes": 1}}, 30, 0, [])
        self.assertEqual(measurement.net(slice_, idle, 500), {"record": {"statements": 4000, "peakBytes": 5}})

    def test_the_median_counts_the_mean_of_processor_time_and_the_peak_of_memory(self):
        slices = [
            {"record": {"statements": count, "processorSeconds": count, "peakBytes": count}} for count in [1, 2, 9]]
        self.assertEqual(measurement.combined(slices), {
            "record": {"statements": 2, "processorSeconds": 4, "peakBytes": 9}})
        self.assertEqual(measurement.combined([{"record": {"statements": -1}}]), {"record": {"statements": 0}})

    def test_statements_are_added_up_and_the_rare_ones_left_out(self):
        long = "select " + "x" * results.TEXT_COUNT
        self.assertEqual(
            results.often([("record", 10, long + "1"), ("record", 10, long + "2"), ("record", 1, "rare")], 1000),
            {"record: " + long[:results.TEXT_COUNT]: 20})


class Comparing(unittest.TestCase):
    def lines(self, before, after):
        lines, is_dearer = results.compare(before, after)
        return "\n".join(lines), is_dearer

    def test_the_same_figures_are_no_finding(self):
        figures = {figure.key: 1e6 for figure in results.FIGURES}
        self.assertEqual(self.lines(run(**figures), run(**figures)), ("No cost is higher than before.", False))

    def test_a_count_may_rise_by_three_percent(self):
        self.assertFalse(self.lines(run(statements=1000), run(statements=1029))[1])
        text, is_dearer = self.lines(run(statements=1000), run(statements=1040))
        self.assertTrue(is_dearer)
        self.assertIn("saves, record, statements: 1,000 before, 1,040 now (+4.0 %)", text)
        self.assertIn("saves, 1000 before, 1040 now: record: select 1", text)

    def test_each_counted_figure_is_held(self):
        for figure in results.FIGURES:
            with self.subTest(figure.key):
                before, after = run(**{figure.key: 1e9}), run(**{figure.key: 1.3e9})
                self.assertEqual(self.lines(before, after)[1], "record" in figure.held_in)
                self.assertIn(figure.title, self.lines(before, after)[0])
                self.assertFalse(self.lines(after, before)[1])

    def test_a_rise_within_the_periodic_work_is_no_finding(self):
        noise = results.FIGURES[0].noise
        self.assertFalse(self.lines(run(statements=0), run(statements=noise))[1])
        self.assertTrue(self.lines(run(statements=0), run(statements=noise + 1))[1])
        # Half as many operations: twice as much per 1,000 of them.
        after = run(statements=noise + 1)
        after["rows"]["saves"]["operations"] = 500
        self.assertFalse(self.lines(run(statements=0), after)[1])

    def test_a_row_that_is_not_held_does_not_fail(self):
        before, after = run(statements=1000), run(statements=2000)
        after["rows"]["saves"]["isHeld"] = False
        text, is_dearer = self.lines(before, after)
        self.assertFalse(is_dearer)
        self.assertIn("Higher than before", text)

    def test_what_only_one_run_has_is_named(self):
        before, after = run(statements=1), run(statements=1, systemCalls=1)
        after["rows"]["walk"] = copy.deepcopy(after["rows"]["saves"])
        text, is_dearer = self.lines(before, after)
        self.assertFalse(is_dearer)
        self.assertIn("saves, record, system calls: counted in only one of the runs", text)
        self.assertIn("walk: the earlier run does not contain this row", text)

    def test_drift_is_the_greatest_difference_by_figure(self):
        self.assertIn("  statements: 2.0 % (saves, record)", results.drift(run(statements=980), run(statements=1000)))
        self.assertIn("  statements: within the noise", results.drift(run(statements=999), run(statements=1000)))

    def test_a_figure_that_was_not_counted_is_a_dash(self):
        row = run(statements=1500, bytes=2500)["rows"]["saves"]
        heading, line = results.table(row)
        self.assertEqual(line.split(), ["record", "1,500", "-", "-", "2.5", "-", "-", "-", "-"])
        self.assertIn("system calls", heading)


if __name__ == "__main__":
    unittest.main()
