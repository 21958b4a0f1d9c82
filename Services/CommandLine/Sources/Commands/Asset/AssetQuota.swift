import ArgumentParser
import CloudKitWire
import CommandLineSession
import OperatorMessages

/// `zonda asset quota`: an operator command.
struct AssetQuota: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quota",
        abstract: "Set the quotas of a container.",
        discussion: """
            A quota is a number of bytes, 'none', or 'default' for the value in the asset service's settings. A quota \
            that is omitted remains unchanged.

            EXAMPLES
              zonda asset quota --per-user 5000000000
              zonda asset quota --per-container none --per-user default
            """)

    @OptionGroup var global: GlobalOptions

    @Option(help: "The quota of the container.")
    var perContainer: String?

    @Option(help: "The quota of each user's private database.")
    var perUser: String?

    func validate() throws {
        for text in [perContainer, perUser].compactMap(\.self) where Self.quota(text) == nil {
            throw ValidationError("A quota must be a number of bytes, 'none' or 'default', not '\(text)'")
        }
        if perContainer == nil, perUser == nil { throw ValidationError("Specify --per-container or --per-user") }
    }

    func run() async throws {
        let request = AssetQuotaRequest(
            container: try global.scope().container, containerQuota: perContainer.flatMap(Self.quota),
            userQuota: perUser.flatMap(Self.quota))
        try await global.show(answerTo: request, isScoped: true) { answer in
            func text(_ bytes: Int64?) -> String { bytes.map { "\($0.grouped) bytes" } ?? "none" }
            return "\(answer.container)  container \(text(answer.containerQuota)), each user \(text(answer.userQuota))"
        }
    }

    private static func quota(_ text: String) -> AssetQuotaRequest.Quota? {
        AssetQuotaRequest.Quota(Int64(text).map { .int($0) } ?? .string(text))
    }
}
