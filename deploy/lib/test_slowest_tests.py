"""Tests of slowest-tests: python3 -m unittest discover deploy/lib"""

import importlib.machinery
import importlib.util
import json
import pathlib
import unittest

path = str(pathlib.Path(__file__).with_name("slowest-tests"))
loader = importlib.machinery.SourceFileLoader("slowest_tests", path)
slowest = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
loader.exec_module(slowest)


def stream(*events):
    """A stream with these events: kind, test, instant, and the case if it is one."""
    tests = {test: {"kind": "test", "payload": {"kind": "function", "id": test}} for _kind, test, *_ in events}
    lines = [*tests.values(), {"kind": "test", "payload": {"kind": "suite", "id": "T.S"}}]
    lines += [
        {"kind": "event", "payload": {
            "kind": kind, "testID": test, "instant": {"absolute": at}, **({"_testCase": {"id": case[0]}} if case else {})}}
        for kind, test, at, *case in [*events, ("testStarted", "T.S", 0), ("testEnded", "T.S", 9)]
    ]
    return [json.dumps(line) for line in lines]


class SlowestTests(unittest.TestCase):
    def test_waiting_for_a_place_is_no_part_of_a_body(self):
        bodies = slowest.read(stream(
            ("testStarted", "a", 0), ("testStarted", "b", 0), ("testStarted", "c", 0),
            ("testEnded", "a", 3), ("testEnded", "b", 4), ("testEnded", "c", 5)), 2)
        self.assertEqual(bodies.seconds, {"a": 3, "b": 4, "c": 2})

    def test_the_cases_of_a_test_take_a_place_each_and_are_added_up(self):
        bodies = slowest.read(stream(
            ("testStarted", "many", 0), ("testStarted", "b", 0),
            ("testCaseStarted", "many", 0, "1"), ("testCaseEnded", "many", 2, "1"),
            ("testCaseStarted", "many", 2, "2"), ("testCaseEnded", "many", 5, "2"), ("testEnded", "many", 5),
            ("testEnded", "b", 6)), 1)
        self.assertEqual((bodies.seconds, bodies.counts), ({"many": 5, "b": 1}, {"many": 2, "b": 1}))

    def test_neighbours_that_were_swapped_exchange_their_beginnings(self):
        bodies = slowest.read(stream(
            ("testStarted", "a", 0), ("testStarted", "b", 0), ("testEnded", "b", 3), ("testEnded", "a", 4)), 1)
        self.assertEqual(bodies.seconds, {"b": 3, "a": 1})

    def test_a_stream_that_was_cut_off_tells_what_has_ended(self):
        lines = stream(("testStarted", "a", 0), ("testEnded", "a", 1), ("testStarted", "b", 1))
        self.assertEqual(slowest.read([*lines, '{"kind": "ev'], 2).seconds, {"a": 1})

    def test_names_have_no_place_in_a_file(self):
        test = "T.S/Inner/does(_:)/File.swift:3:6"
        self.assertEqual(slowest.name(test, False), "T.S/Inner/does(_:)")
        self.assertEqual(slowest.name(test, True), "T.S/Inner")


if __name__ == "__main__":
    unittest.main()
