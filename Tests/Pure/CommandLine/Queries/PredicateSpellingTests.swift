import ArgumentParser
import CloudKitModel
import CloudKitQuery
import Testing

@testable import CommandLine
@testable import CommandLineSession

@Suite struct PredicateSpellingTests {
    @Test(
        arguments: [
            ("f", .keyPath, .keyPath("f")), ("int64:5", .text, .value(.string("int64:5"))),
            ("-5", .integer, .value(.int64(-5))), ("5", .real, .value(.double(5))),
            ("Milk", .value, .value(.string("Milk"))), ("", .value, .value(.string(""))),
            ("5", .value, .value(.string("5"))), ("int64:5", .value, .value(.int64(5))),
            ("int64:true", .value, .value(.int64(1))), ("double:1.5", .value, .value(.double(1.5))),
            ("timestamp:2026-01-15T18:00:00Z", .value, .value(.timestamp(1_768_500_000_000))),
            ("reference:a:b", .value, .value(.reference(Reference(recordName: "a:b")))),
            ("location:48.85,-2.35", .value, .value(.location(Location(latitude: 48.85, longitude: -2.35)))),
            ("strings:a,b", .value, .value(.list(.string, [.string("a"), .string("b")]))),
            ("int64s:", .value, .value(.list(.int64, []))), ("null:", .value, .null),
            ("string:int64:5", .value, .value(.string("int64:5"))), ("null", .value, .value(.string("null"))),
            ("18:00", .value, .value(.string("18:00"))), ("https://a", .value, .value(.string("https://a"))),
        ] as [(String, FormatPlaceholder, FormatArgument)])
    func anArgumentGetsTheTypeOfItsPlace(text: String, place: FormatPlaceholder, argument: FormatArgument) throws {
        #expect(try FormatArgument(text, in: place) == argument)
    }

    @Test(
        arguments: [
            (["f == %@", "int64:five"], "Argument 1, 'int64:five': 'five' is not an integer"),
            (["f == %@ AND g == %d", "a", "b"], "Argument 2, 'b': 'b' is not an integer"),
            (["f == %f", "x"], "Argument 1, 'x': 'x' is not a finite number"),
            (["f == %@", "null:x"], "Argument 1, 'null:x': use 'null:'"),
        ])
    func anArgumentOfTheWrongTypeIsWrongUsageAndReportedByItsNumber(line: [String], text: String) {
        for arguments in [["query", "check"] + line, ["record", "count", "--type", "T"] + line] {
            let error = #expect(throws: (any Error).self) { try ZondaCommand.parseAsRoot(arguments) }
            #expect(error.map { ZondaCommand.exitCode(for: $0) } == .validationFailure)
            #expect(error.map { ZondaCommand.message(for: $0) }?.hasPrefix(text) == true)
        }
    }

    @Test(
        arguments: [
            ("title ==", [], "column 9: expected a value after '=='\n  title ==\n          ^"),
            ("a\tLIKE\n5", [], "column 8: expected a string after 'LIKE'\n  a LIKE 5\n         ^"),
            ("f == %@", [], "column 6: missing argument for '%@'\n  f == %@\n       ^"),
            ("f == 1", ["x"], "column 7: there are more arguments than placeholders: 1 too many\n  f == 1\n        ^"),
            ("", [], "column 1: expected a comparison\n  \n  ^"),
            (
                "\(String(repeating: "f == 1 AND ", count: 20))f ! 1 \(String(repeating: "AND f == 1", count: 20))", [],
                """
                column 223: expected an operator such as '==', not '!'
                  …\(String(repeating: "f == 1 AND ", count: 6).dropFirst(8))f ! 1 AND f == 1AND f == 1AND f == 1AND f …
                  \(String(repeating: " ", count: 61))^
                """
            ),
        ])
    func aFaultIsPrintedWithAMarkBelowItsPlace(format: String, arguments: [String], text: String) throws {
        let spelling = try PredicateSpelling(format, arguments)
        let fault = #expect(throws: PredicateFault.self) { try spelling.predicate(now: 0) }
        #expect(fault?.description == text)
    }

    @Test func aFaultAsJSONHasTheTextAndTheColumn() throws {
        let fault = #expect(throws: PredicateFault.self) { try PredicateSpelling("f == ", []).predicate(now: 0) }
        #expect(fault?.json.text == #"{"error":"expected a value after '=='","column":6}"#)
    }
}
