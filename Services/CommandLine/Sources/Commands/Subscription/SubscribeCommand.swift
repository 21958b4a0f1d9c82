import ArgumentParser
import CloudKitQuery
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda subscribe`.
struct SubscribeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscribe",
        abstract: "Save a subscription to the changes in a zone, in a database, or to what a query finds.",
        discussion: """
            The subscription is the user's and fires for every change from now on; saving one of the same id replaces \
            it. Listen with: zonda watch --subscription ID.

            A zone        --zone Z [--type T]: every change in it, or those of the records of a type.
            A database    --database-wide [--type T]: every change in the private database's own zones.
            A query       --type T, with --where, --on, --once or --all-zones, or without a zone: each record of the type \
            that is made, changed or deleted and then, or before its deletion, is as --where says. In the zone --zone, else \
            in the default zone, or with --all-zones in all of them.

            \(PredicateSpelling.help)

            EXAMPLES
              zonda subscribe --zone Notes --id notes-watch --alert "Notes changed"
              zonda subscribe --database-wide --content-available --json
              zonda subscribe --type Note --zone Notes --where 'due < %@' timestamp:2026-12-24T18:00:00Z --on create,update
              zonda subscribe --type Order --all-zones --where "state == 'paid'" --once --title Paid --field number
            """)

    /// What may happen to a record.
    enum Event: String, ExpressibleByArgument, CaseIterable {
        case create, update, delete
    }

    @OptionGroup var global: GlobalOptions
    @OptionGroup var info: NotificationOptions

    @Option(help: "The subscription's id. Default: the service makes one.")
    var id: String?

    @Option(help: "The record zone.")
    var zone: String?

    @Flag(help: "All zones of the database, those to come too.")
    var databaseWide = false

    @Option(help: "The record type.")
    var type: String?

    @Option(name: .customLong("where"), help: ArgumentHelp("What the records have to be like.", valueName: "predicate"))
    var predicate: String?

    @Argument(help: ArgumentHelp("What is put in for %@ and the like.", valueName: "arg"))
    var arguments: [String] = []

    @Option(
        help: ArgumentHelp("What has to happen to them. Default: create,update,delete.", valueName: "events"),
        transform: Event.list)
    var on: [Event]?

    @Flag(help: "Fire for the first of them, and be gone.")
    var once = false

    @Flag(name: [.long, .customLong("zone-wide")], help: "Look in all zones.")
    var allZones = false

    /// Whether it is what a query finds that is watched.
    var isQuery: Bool {
        predicate != nil || on != nil || once || allZones || (type != nil && zone == nil && !databaseWide)
    }

    func validate() throws {
        switch true {
        case databaseWide && (zone != nil || isQuery):
            throw ValidationError("--database-wide goes with no zone and no query: write --type T --all-zones for one")
        case isQuery && type == nil: throw ValidationError("A query is about the records of a --type")
        case allZones && zone != nil: throw ValidationError("Give --zone or --all-zones, not both")
        case !isQuery && !databaseWide && zone == nil:
            throw ValidationError("Watch what? Give --zone, --database-wide or --type")
        default: break
        }
        guard predicate != nil || arguments.isEmpty else { throw ValidationError("Arguments are put into a --where") }
        _ = try PredicateSpelling(predicate ?? "TRUEPREDICATE", arguments)
    }

    func run() async throws {
        let subscription = try await global.failing { try self.subscription(now: Moment.now) }
        try await global.withSession { session in
            let answer = try await session.ask(
                .subscriptionsModify,
                ["operations": [["operationType": "create", "subscription": subscription]]],
                limit: .requestLimit)
            guard global.show(answer["subscriptions"]?[0] ?? .null, line: SubscriptionLine.text) else {
                throw ExitCode.failure
            }
        }
    }

    /// The subscription dictionary. Its notification info is always there: without one CloudKit refuses.
    ///
    /// - Parameter now: What `now()` means, in milliseconds since 1970.
    /// - Throws: a ``PredicateFault``.
    func subscription(now: Int64) throws -> JSONValue {
        let zoneID = zone.map { JSONValue.object([JSONValue.Member("zoneName", .string($0))]) }
        let events = on?.map { JSONValue.string($0.rawValue) }
        let own: [(String, JSONValue?)] =
            isQuery
            ? [
                ("subscriptionType", "query"), ("query", try query(now: now)), ("zoneID", zoneID),
                ("zoneWide", .bool(allZones)),
                ("firesOn", .array(events ?? Event.allCases.map { .string($0.rawValue) })),
                ("firesOnce", once ? true : nil),
            ]
            : [
                ("subscriptionType", databaseWide ? "database" : "zone"), ("zoneID", zoneID),
                ("recordType", type.map { .string($0) }),
            ]
        return .object(
            having: [("subscriptionID", id.map { .string($0) })] + own + [("notificationInfo", info.json)])
    }

    /// The query dictionary; the predicate is read here, since services read none.
    private func query(now: Int64) throws -> JSONValue? {
        let predicate = try PredicateSpelling(predicate ?? "TRUEPREDICATE", arguments).predicate(now: now)
        var writer = WireWriter()
        writer.queryRecords(QueryRecordsRequest(query: Query(recordType: type ?? "", predicate: predicate).wire))
        return try JSONValue(parsing: writer.bytes)["query"]
    }
}

extension SubscribeCommand.Event {
    /// Reads `create,update`.
    ///
    /// - Throws: a `ValidationError` that names them all.
    fileprivate static func list(_ text: String) throws -> [Self] {
        let events = try text.split(separator: ",").map { word in
            guard let event = Self(rawValue: String(word)) else {
                throw ValidationError("'\(word)' is none of: create, update, delete")
            }
            return event
        }
        guard !events.isEmpty, Set(events).count == events.count else {
            throw ValidationError("--on names create, update, delete, each at most once")
        }
        return events
    }
}
