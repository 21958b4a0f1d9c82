import AMQPClient
import CloudKitModel
import CloudKitWire
import PostgresClient
import RequestServing
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(5)))
struct DirectoryTests {
    @Test func zonesOfManyDatabasesAreFoundTogether() async throws {
        try await RecordDatabase.with { database in
            let known = try await database.zone("Known")
            let directory = ZoneDirectory(pool: database.pool, createsContainers: false)
            let user = "_" + String(repeating: "b", count: 32)
            let wanted = try [
                (RecordDatabase.user, "Known"), (RecordDatabase.user, "None"), (user, "_defaultZone"), (user, "Known"),
                (RecordDatabase.user, "Known"),
            ].map { ZoneDirectory.Wanted(context: try Self.context($0), zone: ZoneName(unchecked: $1)) }
            let found = try await directory.resolve(wanted, in: RecordDatabase.container)
            #expect(found.map { $0 == nil } == [false, true, false, true, false])
            #expect(found[0] == known && found[4] == known)
            #expect(found[2]?.database.id != known.database.id)
            #expect(directory.remembered(wanted[2].address) == found[2])
            #expect(try await directory.resolve([wanted[2]], in: RecordDatabase.container) == [found[2]])
        }
    }

    @Test func aDatabaseThatIsRemovedBeforeItIsLookedUpIsCreatedAgain() async throws {
        try await RecordDatabase.with { database in
            let context = try Self.context(RecordDatabase.user)
            _ = try await database.store.directory.database(for: context, create: true)
            // A reset of the environment removes these rows between the two statements of a look-up.
            try await database.pool.withConnection {
                try await $0.execute(
                    script: """
                        create sequence record.creations;
                        create function record.remove_once() returns trigger language plpgsql as $$
                        begin
                            if nextval('record.creations') = 1 then
                                delete from record.database where owner = '\(RecordDatabase.user)';
                            end if;
                            return null;
                        end $$;
                        create trigger remove_once after insert on record.database execute function record.remove_once();
                        """)
            }
            let directory = ZoneDirectory(pool: database.pool, createsContainers: false)
            #expect(try await directory.database(for: context, create: true) != nil)
            #expect(try await directory.zone(.defaultZone, for: context, createDatabase: false) != nil)
        }
    }

    @Test func aContainerThatIsNotThereIsMadeWhereThatIsConfigured() async throws {
        try await RecordDatabase.with { database in
            let wanted = [
                ZoneDirectory.Wanted(
                    context: try Self.context(RecordDatabase.user, container: "com.example.new"), zone: .defaultZone)
            ]
            let strict = ZoneDirectory(pool: database.pool, createsContainers: false)
            let error = await #expect(throws: ServerError.self) {
                try await strict.resolve(wanted, in: "com.example.new")
            }
            #expect(error?.reasonCode == ServerError.badContainer("com.example.new").reasonCode)
            let directory = ZoneDirectory(pool: database.pool, createsContainers: true)
            let found = try await directory.resolve(wanted, in: "com.example.new")
            #expect(found[0]?.isInProduction == false)
        }
    }

    @Test func zoneWritesFindTheirPartition() async throws {
        try await RecordDatabase.with { database in
            // The time since the last check of the partitions equals the time for which they were created in advance.
            for row in try await database.query(
                "select inhrelid::regclass::text from pg_inherits where inhparent = 'record.request'::regclass")
            {
                try await database.pool.withConnection {
                    try await $0.execute(script: "drop table \(row.string(0))")
                }
            }
            let partitions = TimePartitions.record(pool: database.pool, logger: RecordDatabase.logger)
            let table = OperationTable(
                database.store, retry: RecordDatabase.retry, partitions: partitions)
            let body: JSONValue = [
                "operations": [["operationType": "create", "zone": ["zoneID": ["zoneName": "New"]]]]
            ]
            let context = try Self.context(RecordDatabase.user)
            let delivery = AMQPDelivery(
                queue: Queue.recordWrites, deliveryTag: 1, exchange: Exchange.requests, routingKey: "zones.modify",
                properties: AMQPProperties(messageID: "m", headers: RecordDatabase.headers()), body: body.encoded())
            let answer = await table.answer(
                OpenedRequest(delivery: delivery, operation: .zonesModify, context: context))
            #expect(answer?.status == 200)
        }
    }

    private static func context(
        _ user: String, container: String = RecordDatabase.container
    ) throws -> RequestContext {
        var headers = RecordDatabase.headers()
        headers[Header.user] = .string(user)
        headers[Header.container] = .string(container)
        return try RequestContext(AMQPProperties(messageID: "m", headers: headers), operation: .recordsModify)
    }
}

extension ZoneEntry {
    fileprivate var isInProduction: Bool { database.isProduction }
}
