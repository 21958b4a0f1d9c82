import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda asset quota`: an operator's command.
struct AssetQuota: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quota",
        abstract: "Set the quotas of a container.",
        discussion: """
            A quota is a number of bytes, none, or default, which stands for the value in the asset service's settings. A \
            quota that is omitted stays unchanged.

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
        for text in [perContainer, perUser].compactMap(\.self) where Self.value(text) == nil {
            throw ValidationError("A quota must be a number of bytes, 'none' or 'default', not '\(text)'")
        }
        if perContainer == nil, perUser == nil { throw ValidationError("Specify --per-container or --per-user") }
    }

    func run() async throws {
        let container = try global.scope().container
        try await global.withSession { session in
            let question: JSONValue = [
                "container": .string(container), "containerQuota": perContainer.flatMap(Self.value) ?? .null,
                "userQuota": perUser.flatMap(Self.value) ?? .null,
            ]
            let answer = try await session.ask(.assetsQuota, question, limit: .requestLimit)
            _ = global.show(answer) { answer in
                func text(_ key: String) -> String { answer[key]?.int.map { "\($0.grouped) bytes" } ?? "none" }
                return "\(container)  container \(text("containerQuota")), each user \(text("userQuota"))"
            }
        }
    }

    private static func value(_ text: String) -> JSONValue? {
        if text == "none" || text == "default" { return .string(text) }
        return Int64(text).flatMap { $0 >= 0 ? .int($0) : nil }
    }
}
