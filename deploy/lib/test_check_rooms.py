"""Tests check-rooms with small modules in a temporary folder."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).parent / "check-rooms"


class CheckRooms(unittest.TestCase):
    def report(self, files, rooms="Low High", *options):
        """The lines that the script prints about a module `Services/Example` with these rooms and files."""
        with tempfile.TemporaryDirectory() as root:
            lib = pathlib.Path(root, "deploy/lib")
            lib.mkdir(parents=True)
            shutil.copy(SCRIPT, lib)
            (lib / "rooms").write_text("Services/Example\n" + "".join(f"    {room}\n" for room in rooms.split()))
            for name in ("Shared", "Tests", "Services/Example/Low", "Services/Example/High"):
                pathlib.Path(root, name).mkdir(parents=True, exist_ok=True)
            for name, text in files.items():
                file = pathlib.Path(root, "Services/Example", name)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
            done = subprocess.run([lib / "check-rooms", *options], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 1 if done.stdout else 0, done.stderr)
            return done.stdout.splitlines()

    def test_a_room_may_use_those_below_it(self):
        self.assertEqual(self.report({"Low/A.swift": "struct A {}\n", "High/B.swift": "struct B { var a: A }\n"}), [])

    def test_a_use_of_a_room_above_is_reported_with_its_line(self):
        report = self.report({"Low/A.swift": "struct A {\n    var b: B\n}\n", "High/B.swift": "struct B {}\n"})
        self.assertEqual(
            report, ["Services/Example/Low/A.swift:2: Low uses B of High, which it must not use"])

    def test_the_outer_type_of_a_nested_one_is_a_use(self):
        report = self.report({"Low/A.swift": "var b: B.Inner\n", "High/B.swift": "enum B { struct Inner {} }\n"})
        self.assertEqual(len(report), 1)

    def test_a_nested_type_of_the_same_name_is_none(self):
        files = {
            "Low/A.swift": "struct A { struct C {} }\n", "Low/D.swift": "var c: A.C\n", "High/C.swift": "struct C {}\n"
        }
        self.assertEqual(self.report(files), [])

    def test_comments_and_strings_are_no_uses_and_interpolations_are(self):
        text = '// B\nlet a = "B \\(1) B"\n/* B */\n'
        self.assertEqual(self.report({"Low/A.swift": text, "High/B.swift": "struct B {}\n"}), [])
        self.assertEqual(
            len(self.report({"Low/A.swift": 'let a = "\\(B.self)"\n', "High/B.swift": "struct B {}\n"})), 1)

    def test_folders_inside_a_room_may_not_form_a_circle(self):
        files = {
            "Low/X/A.swift": "struct A { var b: B? }\n", "Low/Y/B.swift": "final class B { var a: A? }\n"
        }
        report = self.report(files)
        self.assertEqual(len(report), 1)
        self.assertIn("X, Y use each other in a circle", report[0])

    def test_a_name_is_declared_once(self):
        report = self.report({"Low/A.swift": "struct A {}\n", "High/B.swift": "enum A {}\n"})
        self.assertTrue(any("a second time" in line for line in report), report)

    def test_a_file_in_no_room_is_reported(self):
        self.assertEqual(len(self.report({"Else/A.swift": "struct A {}\n"})), 1)

    def test_sizes_are_reported_on_request(self):
        files = {"Low/A.swift": "\n" * 301}
        self.assertEqual(self.report(files), [])
        self.assertEqual(len(self.report(files, "Low High", "--sizes")), 1)


if __name__ == "__main__":
    unittest.main()
