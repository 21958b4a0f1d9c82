import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda record get`.
struct RecordGet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Print records by name, and fail if any of them does not exist.",
        discussion: """
            EXAMPLE
              zonda record get --zone Notes shopping travel --json
            """)

    private static let namesPerRequest = 200

    @OptionGroup var global: GlobalOptions
    @OptionGroup var place: ZoneOption

    @Argument(help: "The records' names.")
    var names: [String]

    func run() async throws {
        try await global.withSession { session in
            var records: [JSONValue] = []
            for first in stride(from: 0, to: names.count, by: Self.namesPerRequest) {
                let wanted = names[first..<min(first + Self.namesPerRequest, names.count)]
                let answer = try await session.ask(
                    .recordsLookup,
                    [
                        "zoneID": place.json,
                        "records": .array(wanted.map { ["recordName": .string($0)] }),
                    ], limit: .requestLimit)
                records += answer["records"]?.array ?? []
            }
            try RecordPrinter(global: global).show(records)
        }
    }
}
