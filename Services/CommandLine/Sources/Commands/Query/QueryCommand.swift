import ArgumentParser

/// `zonda query …`.
struct QueryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query", abstract: "Check the predicates that zonda record query, count and explain use.",
        subcommands: [QueryCheck.self])
}
