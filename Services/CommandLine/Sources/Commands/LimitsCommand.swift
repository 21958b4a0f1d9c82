import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda limits`.
struct LimitsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "limits",
        abstract: "Print the profile, limits and rates of the record service.",
        discussion: """
            EXAMPLE
              zonda limits --json
            """)

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        try await global.withSession { session in
            let answer = try await session.ask(.serviceCapabilities, [:], limit: .requestLimit)
            _ = global.show(answer) { Self.table($0).joined(separator: "\n") }
        }
    }

    /// Returns the answer as lines of two columns.
    static func table(_ answer: JSONValue) -> [String] {
        var table = TextTable()
        table.add("profile", answer["profile"]?.string ?? "")
        for limit in answer["limits"]?.members ?? [] { table.add(limit.key, (limit.value.int ?? 0).grouped) }
        for subject in answer["throttle"]?.members ?? [] {
            let (rate, burst) = (subject.value["rate"]?.int ?? 0, subject.value["burst"]?.int ?? 0)
            table.add("requests per \(subject.key)", "\(rate.grouped) per second, \(burst.grouped) at once")
        }
        return table.lines
    }
}
