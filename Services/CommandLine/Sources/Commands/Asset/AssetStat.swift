import ArgumentParser
import CommandLineSession
import OperatorMessages

/// `zonda asset stat`: an operator command.
struct AssetStat: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stat",
        abstract: "Print the state of stored content.",
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
            global.show(try await session.assetStatus(of: checksum, container: container), line: Self.describe)
        }
    }

    /// Returns one line for each member of `status`, with times in ISO 8601.
    static func describe(_ status: AssetStatus) -> String {
        TextTable.members(
            of: status, moments: ["createdAt", "receiptUntil", "condemnedAt", "due", "verifiedAt", "damagedAt"]
        ).joined(separator: "\n")
    }
}
