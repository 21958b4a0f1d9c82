import AMQPClient
import CloudKitWire
import Foundation
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// The metrics of the services after a little work of every kind.
    @Suite(.timeLimit(.minutes(4))) struct MetricsTests {
        @Test func metricsTellWhatHappened() async throws {
            try await ServiceStack.with { stack in
                let asset = try await stack.startService(.asset, AssetDeletionTests.haste)
                let record = try await stack.startService()
                let subscription = try await stack.startService(.subscription)
                let gateway = try await stack.startService(.gateway)
                try await Self.work(stack)
                try await Self.checkRecord(record)
                try await Self.checkSubscription(subscription)
                try await Self.checkAsset(asset)
                try await Self.checkGateway(gateway, stack)
                for (service, name) in [
                    (record, "record"), (asset, "asset"), (subscription, "subscription"), (gateway, "gateway"),
                ] {
                    try await Self.checkProcess(service)
                    try await Self.compareWithDocumentation(service, name)
                }
            }
        }

        /// Makes three saves, one of which is refused and one of which has a file, looks up a missing record, and
        /// deletes the file's record. A watcher is notified of all changes.
        private static func work(_ stack: ServiceStack) async throws {
            let client = stack.client()
            try await client.zones("create", "Notes")
            try await stack.withNotifications(ofZone: "Notes", of: client) { box in
                try await client.save("Notes", "a", ["n": 1])
                let refused = try await client.modify("Notes", .operation("create", "a", ["n": 2]))
                try #require(refused["records"]?[0]?["serverErrorCode"] == "CONFLICT")
                try await client.save("Notes", "b", ["file": try await client.upload(randomBytes(1000))])
                var old = client.message(
                    .recordsLookup,
                    (["records": [["recordName": "x"]], "zoneID": ["zoneName": "Notes"]] as JSONValue).encoded())
                old.properties.timestamp = UInt64(Date().timeIntervalSince1970) - 40
                #expect(try await client.ask(old)["records"]?[0]?["serverErrorCode"] == "NOT_FOUND")
                try await client.delete("Notes", "b")
                _ = try await box.wait(for: "three notifications") { $0.count == 3 ? true : nil }
            }
            let refusal = try await AssetClient.get("\(stack.assetURL)/download/nonsense")
            #expect(refusal.json["serverErrorCode"] != nil)
            try await eventually("the content is gone") { stack.blobFiles.isEmpty ? true : nil }
        }

        private static func checkRecord(_ service: ServiceProcess) async throws {
            // The values are NaN until the broker has reported them for each queue.
            let page = try await eventually("the queues are known to be empty") {
                let page = try await service.metricsPage()
                return page.value("zonda_queue_messages") == 0 ? page : nil
            }
            let modify = #"operation="records.modify""#
            #expect(page.value("zonda_requests_total", modify, #"status="200""#) == 4)
            #expect(page.value("zonda_errors_total", modify) == 1)
            #expect(page.value("zonda_errors_total", modify, #"code="CONFLICT""#) == 1)
            #expect(page.value("zonda_errors_total", #"operation="records.lookup""#, #"code="NOT_FOUND""#) == 1)
            #expect(page.value("zonda_request_seconds", modify) == 4)
            #expect(page.value("zonda_requests_in_progress") == 0)
            #expect(page.value("zonda_request_age_seconds", #"queue="record.reads""#) == 1)
            #expect(page.value("zonda_changes_total") == 3)
            let transactions = page.value("zonda_write_transactions_total")
            #expect(transactions >= 4)
            #expect(page.value("zonda_write_batch_operations") == transactions)
            #expect(page.value("zonda_write_transaction_seconds") == transactions)
            #expect(
                page.values(of: "queue", in: "zonda_queue_messages").isSuperset(of: [
                    Queue.recordWrites, Queue.recordReads, Queue.dead(.record),
                ]))
            #expect(page.values(of: "pool", in: "zonda_postgres_connections_open") == ["main", "queries"])
            #expect(page.values(of: "kind", in: "zonda_record_jobs").isSuperset(of: ["share.move", "cascade"]))
            #expect(page.value("zonda_record_jobs", #"kind="share.move""#) == 0)
        }

        private static func checkSubscription(_ service: ServiceProcess) async throws {
            let page = try await service.metricsPage()
            #expect(page.value("zonda_notifications_total", #"kind="zone""#) >= 3)
            #expect(page.value("zonda_notifications_total", #"kind="user""#) == 0)
            #expect(page.value("zonda_change_lag_seconds") >= 3)
            #expect(page.values(of: "queue", in: "zonda_queue_messages").count == RoutingKey.shardCount + 6)
        }

        private static func checkAsset(_ service: ServiceProcess) async throws {
            let page = try await eventually("the deletion is counted") {
                let page = try await service.metricsPage()
                return page.value("zonda_asset_blobs") == 0 && page.value("zonda_asset_deleted_total") == 1 ? page : nil
            }
            #expect(page.value("zonda_asset_uploads_total") == 1)
            #expect(page.value("zonda_asset_uploaded_bytes_total") == 1000)
            #expect(page.value("zonda_asset_http_requests_total", #"route="upload""#, #"status="200""#) == 1)
            #expect(page.value("zonda_asset_http_errors_total", #"route="download""#, #"code="ACCESS_DENIED""#) == 1)
            #expect(page.value("zonda_asset_http_request_seconds", #"route="upload""#) == 1)
            #expect(page.value("zonda_asset_condemned_total") == 1)
            #expect(page.value("zonda_asset_deletion_late_seconds") == 1)
            #expect(page.value("zonda_asset_blob_bytes") == 0)
            #expect(page.values(of: "state", in: "zonda_asset_deletion_jobs") == ["waiting", "due", "late"])
            #expect(page.value("zonda_asset_deletion_jobs") == 0)
        }

        private static func checkGateway(_ service: ServiceProcess, _ stack: ServiceStack) async throws {
            _ = try await AssetClient.get("\(stack.gatewayURL)/database/1/c/development/public/zones/list")
            let page = try await service.metricsPage()
            #expect(page.value("zonda_gateway_http_requests_total", #"status="400""#) == 1)
            #expect(page.value("zonda_gateway_http_request_seconds") == 1)
            #expect(page.value("zonda_courier_listening") == 0)
        }

        private static func checkProcess(_ service: ServiceProcess) async throws {
            let page = try await service.metricsPage()
            let clients = page.families["zonda_broker_connected"]?.samples ?? []
            #expect(clients.count >= 3)
            #expect(clients.allSatisfy { $0.value == 1 })
            #expect(page.value("zonda_postgres_connections_open") >= 1)
            #expect(page.value("zonda_postgres_connections_in_use") <= page.value("zonda_postgres_connections_open"))
            #expect(page.value("zonda_postgres_connections_waiting") == 0)
            #expect(page.value("process_resident_memory_bytes") > 1_000_000)
            #expect(page.value("process_peak_resident_bytes") >= page.value("process_resident_memory_bytes"))
            let age = Date().timeIntervalSince1970 - page.value("process_start_time_seconds")
            #expect(age > 0 && age < 300)
        }

        /// Checks that the documentation lists exactly the existing metrics, with their types and labels.
        private static func compareWithDocumentation(_ service: ServiceProcess, _ name: String) async throws {
            let page = try await service.metricsPage()
            let real = Set(page.families.map { "\($0.key) \($0.value.type)" })
            let file = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../../deploy/docs/metrics.md")
            let rows = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").compactMap { line in
                let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
                return cells.count == 7 && cells[0].hasPrefix("`") ? cells : nil
            }
            let own = rows.filter { $0[4] == "all" || $0[4].components(separatedBy: " and ").contains(name) }.map {
                cells in
                cells.map { $0.filter { $0 != "`" } }
            }
            let documented = own.map { "\($0[0]) \($0[1])" }
            #expect(Set(documented).subtracting(real) == [], "documented, but not there: \(name)")
            #expect(real.subtracting(documented) == [], "there, but not documented: \(name)")
            for cells in own {
                let labels = Set(cells[2].split(separator: " ").map(String.init))
                for sample in page.families[cells[0]]?.samples ?? [] {
                    let names = Set(sample.labels.map { label in String(label.prefix { $0 != "=" }) })
                    #expect(names == labels, "the labels of \(cells[0])")
                }
            }
        }
    }
}
