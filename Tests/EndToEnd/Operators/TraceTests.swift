import AMQPClient
import CloudKitWire
import PostgresClient
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// A request can be followed through the services, by its trace in the messages and by its id in the logs.
    @Suite(.timeLimit(.minutes(4))) struct TraceTests {
        private static let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

        @Test func traceOfASaveIsOnEverythingThatItBringsAbout() async throws {
            try await ServiceStack.with { stack in
                let debug = AssetDeletionTests.haste.merging(["ZONDA_LOG_LEVEL": "debug"]) { $1 }
                let asset = try await stack.startService(.asset, debug)
                let record = try await stack.startService(.record, debug)
                let subscription = try await stack.startService(.subscription, debug)
                let plain = stack.client()
                let client = plain.with(Header.trace, .string(Self.trace))
                try await plain.zones("create", "Notes")
                try await Self.checkMessages(stack, plain, client)
                try await Self.checkDeletion(stack, client, asset, record)
                for service in [asset, record, subscription] {
                    let lines = try service.logLines()
                    #expect(!lines.isEmpty)
                    for line in lines {
                        #expect(line.members?.prefix(4).map(\.key) == ["at", "level", "logger", "message"])
                    }
                }
            }
        }

        private static func checkMessages(_ stack: ServiceStack, _ plain: TestClient, _ client: TestClient)
            async throws
        {
            let configuration = try stack.vhost.configuration()
            try await TestQueue.withBinding(to: Exchange.changes, "#", configuration) { events in
                try await TestQueue.withBinding(to: Exchange.dead, "#", configuration) { dead in
                    try await stack.withNotifications(ofZone: "Notes", of: client) { notifications in
                        let body = JSONValue.modify("Notes", [.operation("create", "a", ["n": 1])]).encoded()
                        let reply = try await client.rpc.call(
                            client.message(.recordsModify, body), timeout: .seconds(20))
                        #expect(reply.properties.headers.string(Header.trace) == trace)
                        let event = try await events.first("the event")
                        #expect(event.properties.headers.string(Header.trace) == trace)
                        let notification = try await notifications.first("the notification")
                        #expect(notification.properties.headers.string(Header.trace) == trace)

                        try await stack.publisher.publish(client.message(.recordsModify, Array("no JSON".utf8)))
                        let letter = try await dead.first("the dead letter")
                        #expect(letter.properties.headers.string(Header.trace) == trace)

                        // If the request has no trace, or a malformed one, its messages have none.
                        for other in [plain, plain.with(Header.trace, "00-1-2-3")] {
                            let message = other.message(.recordsModify, JSONValue.modify("Notes", []).encoded())
                            let reply = try await other.rpc.call(message, timeout: .seconds(20))
                            #expect(reply.properties.headers[Header.trace] == nil)
                        }
                    }
                }
            }
        }

        /// Checks an upload, and the deletion after a save. The event of the save makes the asset service send a
        /// request to the record service.
        private static func checkDeletion(
            _ stack: ServiceStack, _ client: TestClient, _ asset: ServiceProcess, _ record: ServiceProcess
        ) async throws {
            let uploaded = try await AssetClient.upload(
                randomBytes(1000), to: try await client.uploadURL(), headers: [Header.trace: trace])
            let file = try #require(uploaded.json["singleFile"])
            let uploadID = try #require(uploaded.headers["x-apple-request-uuid"])
            _ = try await eventually("the upload is logged") {
                try asset.logLines().first { $0["request"]?.string == uploadID && $0["trace"]?.string == trace }
            }
            try await client.save("Notes", "b", ["file": file])
            // A content that is dropped after its receipt has expired is checked immediately.
            try await eventually("the receipt expires") {
                let rows = try await stack.database.query(
                    "select count(*) from asset.blob where receipt_until > now()")
                return rows.first?.int64(0) == 0 ? true : nil
            }
            let message = client.message(
                .recordsModify, JSONValue.modify("Notes", [.operation("forceDelete", "b")]).encoded())
            _ = try await client.ask(message)
            let answer = try await eventually("the deletion is logged") {
                try record.logLines().first { $0["request"]?.string == message.properties.messageID }
            }
            #expect(answer["trace"]?.string == trace)
            #expect(answer["metadata"]?["operation"] == "records.modify")
            #expect(answer["metadata"]?["status"] == "200")
            _ = try await eventually("the question which blobs are used carries the trace") {
                try record.logLines().first {
                    $0["metadata"]?["operation"] == "assets.used" && $0["trace"]?.string == trace
                }
            }
        }
    }
}
