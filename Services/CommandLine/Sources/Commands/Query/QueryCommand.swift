import ArgumentParser

/// `zonda query …`.
struct QueryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query", abstract: "Check predicates for zonda record query, count and explain.",
        subcommands: [QueryCheck.self])
}
