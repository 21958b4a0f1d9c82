import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda record delete`.
struct RecordDelete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete records, by default regardless of their change tags.",
        discussion: """
            EXAMPLES
              zonda record delete --zone Notes shopping travel
              zonda record delete --zone Notes --tag mk3pzz9a shopping
            """)

    private static let namesPerRequest = 200

    @OptionGroup var global: GlobalOptions
    @OptionGroup var place: ZoneOption

    @Option(help: "Delete the record only if it has this change tag.")
    var tag: String?

    @Argument(help: "The records' names.")
    var names: [String]

    func validate() throws {
        if tag != nil, names.count != 1 { throw ValidationError("--tag requires exactly one record") }
        guard Set(names).count == names.count else { throw ValidationError("A record is specified twice") }
    }

    func run() async throws {
        try await global.withSession { session in
            var records: [JSONValue] = []
            for first in stride(from: 0, to: names.count, by: Self.namesPerRequest) {
                let wanted = names[first..<min(first + Self.namesPerRequest, names.count)]
                let operations = wanted.map { name -> JSONValue in
                    [
                        "operationType": tag == nil ? "forceDelete" : "delete",
                        "record": .object(having: [
                            ("recordName", .string(name)), ("recordChangeTag", tag.map { .string($0) }),
                        ]),
                    ]
                }
                let answer = try await session.ask(
                    .recordsModify,
                    [
                        "zoneID": place.json, "atomic": false,
                        "operations": .array(operations),
                    ], limit: .requestLimit)
                records += answer["records"]?.array ?? []
            }
            try RecordPrinter(global: global).show(records)
        }
    }
}
