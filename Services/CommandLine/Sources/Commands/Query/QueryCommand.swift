import ArgumentParser

/// `zonda query …`.
struct QueryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query", abstract: "Check predicates; zonda record query|count|explain use them.",
        subcommands: [QueryCheck.self])
}
