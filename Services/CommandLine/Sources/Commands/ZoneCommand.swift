import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda zone …`.
struct ZoneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "zone",
        abstract: "Make, list, delete and purge record zones.",
        subcommands: [Create.self, List.self, Delete.self, Purge.self])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make zones; one that exists stays as it is.",
            discussion: """
                EXAMPLE
                  zonda zone create Notes Drafts
                """)

        @OptionGroup var global: GlobalOptions

        @Argument(help: "The zones' names.")
        var names: [String]

        func validate() throws { try ZoneCommand.check(names) }
        func run() async throws { try await modify(.create, names, global) }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete zones with all their records.",
            discussion: """
                EXAMPLE
                  zonda zone delete Drafts
                """)

        @OptionGroup var global: GlobalOptions

        @Argument(help: "The zones' names.")
        var names: [String]

        func validate() throws { try ZoneCommand.check(names) }
        func run() async throws { try await modify(.delete, names, global) }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the zones of the database.",
            discussion: """
                EXAMPLE
                  zonda zone list --json
                """)

        @OptionGroup var global: GlobalOptions

        func run() async throws {
            try await global.withSession { session in
                let answer = try await session.ask(.zonesList, [:], limit: GlobalOptions.requestLimit)
                try ZoneCommand.show(answer, global)
            }
        }
    }
}

extension ZoneCommand {
    /// Refuses a name that comes twice.
    static func check(_ names: [String]) throws {
        guard Set(names).count == names.count else { throw ValidationError("A zone is named twice") }
    }

    /// Prints the zones of an answer.
    ///
    /// - Throws: `ExitCode.failure` when one of them is an error.
    static func show(_ answer: JSONValue, _ global: GlobalOptions) throws {
        var isGood = true
        for zone in answer["zones"]?.array ?? [] {
            isGood = global.show(zone) { describe($0) } && isGood
        }
        guard isGood else { throw ExitCode.failure }
    }
}

private func modify(_ kind: ZoneRequests.Kind, _ names: [String], _ global: GlobalOptions) async throws {
    try await global.withSession { session in
        let answer = try await session.ask(
            .zonesModify, ZoneRequests.modify(kind, names), limit: GlobalOptions.requestLimit)
        try ZoneCommand.show(answer, global)
    }
}

private func describe(_ zone: JSONValue) -> String {
    let name = zone["zoneID"]?["zoneName"]?.string ?? ""
    if zone["deleted"]?.bool == true { return "\(name)  \(zone["deletionReason"]?.string ?? "deleted")" }
    return name + (zone["syncToken"]?.string.map { "  token \($0)" } ?? "")
}
