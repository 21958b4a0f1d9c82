import ArgumentParser
import CommandLineSession
import OperatorMessages

/// `zonda asset refs`: an operator command.
struct AssetReferences: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refs",
        abstract: "List the records that refer to stored content.",
        discussion: """
            EXAMPLE
              zonda asset refs --zone Notes --name trip --field map
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var subject: AssetSubject
    @OptionGroup var list: AssetListOptions

    func run() async throws {
        let container = try global.scope().container
        try await global.withSession { session in
            let checksum = try await subject.checksum(session)
            let status = try await session.assetStatus(of: checksum, container: container)
            // The state is reported on standard error, so that a pipe receives only the list.
            if let state = status.state, state != "live" {
                Console.report("the content is \(state): for details, run zonda asset stat \(checksum)")
            }
            let answer = try await session.ask(
                AssetReferencesRequest(container: container, blob: status.blob, limit: list.limit))
            for reference in answer.references { global.show(reference, line: Self.describe) }
            if answer.moreComing { Console.report("more references exist: increase --limit") }
        }
    }

    /// Returns a reference as a line: `development/private/_7f0c…/Notes  trip  map[0]`.
    static func describe(_ reference: AssetReference) -> String {
        [reference.environment, reference.database ?? "", reference.owner, reference.zone].joined(separator: "/")
            + "  \(reference.recordName)  \(reference.fieldName)[\(reference.position)]"
    }
}
