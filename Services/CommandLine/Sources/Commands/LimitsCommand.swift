import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda limits`.
struct LimitsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "limits",
        abstract: "Show what the record service accepts: its profile, limits and rates.",
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

    /// The answer in two columns.
    static func table(_ answer: JSONValue) -> [String] {
        var table = TextTable()
        table.add("profile", answer["profile"]?.string ?? "")
        for limit in answer["limits"]?.members ?? [] { table.add(limit.key, (limit.value.int ?? 0).grouped) }
        for whose in answer["throttle"]?.members ?? [] {
            let (rate, burst) = (whose.value["rate"]?.int ?? 0, whose.value["burst"]?.int ?? 0)
            table.add("requests of a \(whose.key)", "\(rate.grouped) a second, \(burst.grouped) at once")
        }
        return table.lines
    }
}
