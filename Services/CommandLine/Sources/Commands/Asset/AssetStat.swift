import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda asset stat`: an operator's command.
struct AssetStat: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stat",
        abstract: "Print the state of a stored content.",
        discussion: """
            EXAMPLES
              zonda asset stat $(sha256sum < map.png | cut -c-64)
              zonda asset stat --zone Notes --name trip --field map --json
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var subject: AssetSubject

    func run() async throws {
        let container = try global.scope().container
        try await global.withSession { session in
            let checksum = try await subject.checksum(session)
            let answer = try await session.assetStatus(of: checksum, container: container)
            _ = global.show(answer, line: Self.describe)
        }
    }

    /// One line for each key; times in ISO 8601.
    static func describe(_ answer: JSONValue) -> String {
        var table = TextTable()
        for member in answer.members ?? [] {
            let moments: Set<String> = [
                "createdAt", "receiptUntil", "condemnedAt", "due", "verifiedAt", "damagedAt",
            ]
            let moment = moments.contains(member.key) ? member.value.int.map(Moment.text) : nil
            table.add(member.key, moment ?? member.value.string ?? member.value.text)
        }
        return table.lines.joined(separator: "\n")
    }
}
