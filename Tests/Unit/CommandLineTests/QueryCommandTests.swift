import ArgumentParser
import CloudKitQuery
import CloudKitWire
import Testing

@testable import CommandLine

@Suite struct QueryCommandTests {
    /// The command of that line, which is cut at `|`.
    private func command<Command: ParsableCommand>(_ type: Command.Type, _ line: String) throws -> Command {
        try #require(try ZondaCommand.parseAsRoot(line.split(separator: "|").map(String.init)) as? Command)
    }

    @Test("A checked predicate is printed as requests have it, and for people in lines")
    func check() throws {
        let predicate = try PredicateSpelling("a == 1 OR NOT b IN %@", ["strings:x"]).predicate(now: 0)
        let (one, other) = (
            #"{"comparator":"EQUALS","fieldName":"a","fieldValue":{"value":1,"type":"INT64"}}"#,
            #"{"comparator":"NOT_IN","fieldName":"b","fieldValue":{"value":["x"],"type":"STRING_LIST"}}"#
        )
        #expect(QueryCheck.text(predicate, isForPeople: false) == "{\"or\":[\(one),\(other)]}")
        #expect(
            QueryCheck.text(predicate, isForPeople: true)
                == "{\n  \"or\": [\n    \(one),\n    \(other)\n  ]\n}")
        #expect(QueryCheck.text(.all, isForPeople: true) == #"{"and":[]}"#)
    }

    @Test("A check exits with 0, or with 1 for what is no predicate")
    func exitStatus() async throws {
        try await command(QueryCheck.self, "query|check|--json|TRUEPREDICATE").run()
        for line in ["query|check|f ==", "query|check|f ==|--json"] {
            let command = try command(QueryCheck.self, line)
            await #expect(throws: ExitCode.failure) { try await command.run() }
        }
    }
}
