import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda zone …`.
struct ZoneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "zone",
        abstract: "Create, list, delete and purge record zones.",
        subcommands: [ZoneCreate.self, ZoneList.self, ZoneDelete.self, ZonePurge.self])
}

extension ZoneCommand {
    /// Checks that no name is specified twice.
    static func check(_ names: [String]) throws {
        guard Set(names).count == names.count else { throw ValidationError("A zone is specified twice") }
    }

    /// Creates or deletes zones, and prints them.
    ///
    /// - Throws: `ExitCode.failure` if the service refuses any of them.
    static func modify(_ kind: ZoneRequests.Kind, _ names: [String], _ global: GlobalOptions) async throws {
        try await global.withSession { session in
            let answer = try await session.ask(
                .zonesModify, ZoneRequests.modify(kind, names), limit: .requestLimit)
            try show(answer["zones"]?.array, global)
        }
    }

    /// Prints the zones of an answer.
    ///
    /// - Throws: `ExitCode.failure` if any of them is an error.
    static func show(_ zones: [JSONValue]?, _ global: GlobalOptions) throws {
        var isGood = true
        for zone in zones ?? [] { isGood = global.show(zone, line: describe) && isGood }
        guard isGood else { throw ExitCode.failure }
    }

    /// Returns a zone as a line: `Notes  token AQAAAAAAAAAM`, or `Notes  purged` for a deleted zone.
    private static func describe(_ zone: JSONValue) -> String {
        let name = zone["zoneID"]?["zoneName"]?.string ?? ""
        if zone["deleted"]?.bool == true { return "\(name)  \(zone["deletionReason"]?.string ?? "deleted")" }
        return name + (zone["syncToken"]?.string.map { "  token \($0)" } ?? "")
    }
}
