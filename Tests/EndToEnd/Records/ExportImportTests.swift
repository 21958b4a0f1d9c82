import AMQPClient
import CloudKitWire
import Foundation
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// `zonda import` restores the files of `zonda export` in another database, even if other clients write during the
    /// export.
    @Suite(.sharedServices, .timeLimit(.minutes(2))) struct ExportImportTests {
        @Test func exportedDatabaseIsRestoredWithTheSameContent() async throws {
            let stack = try SharedStack.current
            let client = stack.client()
            let folder = try Folder()
            try await Self.fill(client)

            // The load writes to its zones from before the export until after it.
            let writer = try stack.zonda(
                ["load", "records", "--zones", "2", "--producers", "1", "--duration", "4s", "--json"], as: client
            )
            try await eventually("the load has begun") {
                try await client.ask(.zonesList)["zones"]?.array.flatMap { $0.count > 4 ? true : nil }
            }
            let report = try await Self.export(
                ["--all", "--assets", folder.path("assets")], to: folder.path("all"), as: client, stack)
            #expect(report["zones"] == 6 && report["assets"] == 2 && report["assetBytes"] == 30_005)
            // The targets are another database of the same container, which has the assets' bytes, and another
            // container, which does not.
            let other = stack.client()
            var elsewhere = stack.client()
            elsewhere.headers[Header.container] = "com.example.restored"
            for (target, arguments) in [(other, []), (elsewhere, ["--assets", folder.path("assets")])] {
                let report = try await Self.restore(folder.path("all"), arguments, as: target, stack)
                #expect(report["failed"] == 0 && report["zones"] == 5, "\(report)")
                #expect(report["uploaded"] == (arguments.isEmpty ? 0 : 2))
            }
            #expect(try await writer.exit(within: .seconds(30)) == .code(0))

            let quiet = ["Notes", "Drafts", "Empty", "_defaultZone"].flatMap { ["--zone", $0] }
            let content = try await Self.content(quiet, of: client, stack, folder)
            #expect(content.count == 3 + 7)
            let saved = try await Self.lookUp(["all", "child", "target"], client)
            for target in [other, elsewhere] {
                #expect(try await Self.content(quiet, of: target, stack, folder) == content)
                #expect(try await Self.lookUp(["all", "child", "target"], target) == saved)
                #expect(try await target.bytes("Notes", "all", "asset") == Self.asset)
                let gone = try await target.record("Notes", "deleted")
                #expect(gone.errorCode == "NOT_FOUND")
            }
            // For the zones that were written to, the last lines of the file count.
            for (zone, records) in try Self.lastLines(folder.path("all")) where zone.hasPrefix("load-") {
                var restored: [String] = []
                var token: String?
                repeat {
                    let page = try await other.changes(zone, since: token)
                    restored += page.recordNames
                    token = page["moreComing"] == true ? page.syncToken : nil
                } while token != nil
                #expect(Set(restored) == Set(records))
            }
        }

        @Test func publicDatabaseIsRestoredToo() async throws {
            let stack = try SharedStack.current
            let folder = try Folder()
            var client = stack.client().with(Header.database, "public")
            client.headers[Header.container] = "com.example.public.from"
            try await client.save("_defaultZone", "a", ["n": 1, "file": try await client.upload(Self.asset)])
            _ = try await Self.export(["--all"], to: folder.path("public"), as: client, stack)
            let target = client.with(Header.container, "com.example.public.to")
            // The import has no source for the asset's bytes.
            let failed = try await Self.restore(folder.path("public"), [], as: target, stack, status: 1)
            #expect(failed["errors"] == ["NO_ASSET": 1])
            _ = try await Self.export(
                ["--all", "--assets", folder.path("assets")], to: folder.path("public"), as: client, stack)
            let report = try await Self.restore(
                folder.path("public"), ["--assets", folder.path("assets")], as: target, stack)
            #expect(report["saved"] == 1)
            #expect(try await target.bytes("_defaultZone", "a") == Self.asset)
        }

        private static let asset = [UInt8](repeating: 7, count: 30_000)

        /// Saves every type of value, references before their targets, a tombstone and an empty zone.
        private static func fill(_ client: TestClient) async throws {
            try await client.zones("create", "Notes", "Drafts", "Empty")
            let assets = [try await client.upload(asset), try await client.upload([1, 2, 3, 4, 5])]
            let place: JSONValue = [
                "latitude": 52.5, "longitude": -13.25, "altitude": 34.5, "horizontalAccuracy": 5.5,
                "verticalAccuracy": 1.5, "speed": 2.5, "course": 90.5, "timestamp": 1_768_470_000_001,
            ]
            let reference: JSONValue = ["recordName": "target", "action": "DELETE_SELF"]
            let values: [(String, JSONValue, String)] = [
                ("text", "Grüße \u{1F600} \"\\\n", "STRING"), ("whole", .int(.min), "INT64"), ("number", 0.1, "DOUBLE"),
                ("round", 1.0, "DOUBLE"), ("tiny", .double(.leastNonzeroMagnitude), "DOUBLE"),
                ("huge", .double(.greatestFiniteMagnitude), "DOUBLE"), ("at", -1, "TIMESTAMP"),
                ("bytes", "AAEC/w==", "BYTES"), ("place", place, "LOCATION"), ("reference", reference, "REFERENCE"),
                ("own", ["recordName": "x", "zoneID": .zone("Notes"), "action": "NONE"], "REFERENCE"),
                ("asset", assets[0], "ASSETID"), ("texts", ["b", "", "a"], "STRING_LIST"),
                ("wholes", [.int(.max), 0], "INT64_LIST"), ("numbers", [0.5, 2.5], "DOUBLE_LIST"),
                ("moments", [1, -1], "TIMESTAMP_LIST"), ("blobs", ["AA==", ""], "BYTES_LIST"),
                ("places", [place], "LOCATION_LIST"), ("references", [reference, reference], "REFERENCE_LIST"),
                ("assets", .array(assets), "ASSETID_LIST"), ("none", [], "STRING_LIST"),
            ]
            var fields = values.map { JSONValue.Member($0.0, ["value": $0.1, "type": .string($0.2)]) }
            fields.append(.init("secret", ["value": "s", "type": "STRING", "isEncrypted": true]))
            let everything: JSONValue = [
                "operationType": "create",
                "record": ["recordName": "all", "recordType": "Everything", "fields": .object(fields)],
            ]
            let child: JSONValue = [
                "operationType": "create",
                "record": [
                    "recordName": "child", "recordType": "Note", "parent": ["recordName": "target"], "fields": [:],
                ],
            ]
            for reply in [
                try await client.modify(
                    "Notes", .operation("create", "target", ["n": 1]), .operation("create", "deleted"), everything,
                    child),
                try await client.modify("Drafts", .operation("create", "a"), .operation("create", "b/ü", ["n": 2])),
                try await client.modify("_defaultZone", .operation("create", "a"), .operation("create", "b")),
            ] {
                for item in try #require(reply["records"]?.array) { #expect(item.errorCode == nil, "\(item)") }
            }
            // The target is saved after the records that refer to it.
            try await client.save("Notes", "target", ["n": 3])
            try await client.delete("Notes", "deleted")
        }

        /// Returns the sorted lines of an export, without the parts that differ between databases.
        private static func content(
            _ zones: [String], of client: TestClient, _ stack: ServiceStack, _ folder: Folder
        ) async throws -> [String] {
            _ = try await export(zones, to: folder.path("content"), as: client, stack)
            return try lines(folder.path("content")).map { line in
                var line = line
                if let record = line["record"]?.members {
                    let own: Set<String> = ["recordChangeTag", "created", "modified"]
                    line = [
                        "operationType": line["operationType"] ?? nil, "zoneID": line["zoneID"] ?? nil,
                        "record": .object(record.filter { !own.contains($0.key) }.sorted { $0.key < $1.key }),
                    ]
                }
                return String(decoding: line.encoded(), as: UTF8.self)
            }.sorted()
        }

        /// Returns the answer to a look-up of records, without the parts that differ between databases.
        private static func lookUp(_ names: [String], _ client: TestClient) async throws -> [String] {
            var records: [String] = []
            for name in names {
                let record = try await client.record("Notes", name)
                let fields = (record["fields"]?.members ?? []).map { field in
                    let values = (field.value["value"]?.array ?? [field.value["value"] ?? nil]).map { value in
                        JSONValue.object(value.members?.filter { $0.key != "downloadURL" } ?? [.init("", value)])
                    }
                    return JSONValue.Member(field.key, [field.value["type"] ?? nil, .array(values)])
                }
                records.append(
                    String(
                        decoding: JSONValue.array([
                            record["recordType"] ?? nil, record["parent"] ?? nil, .object(fields),
                        ]).encoded(), as: UTF8.self))
            }
            return records
        }

        /// Returns the names of the records that exist in each zone according to the end of a file.
        private static func lastLines(_ path: String) throws -> [String: [String]] {
            var kinds: [String: [String: String]] = [:]
            for line in try lines(path) {
                guard let name = line["record"]?["recordName"]?.string else { continue }
                kinds[line["zoneID"]?["zoneName"]?.string ?? "", default: [:]][name] = line["operationType"]?.string
            }
            return kinds.mapValues { $0.filter { $0.value == "forceReplace" }.map(\.key) }
        }

        private static func lines(_ path: String) throws -> [JSONValue] {
            try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map {
                try JSONValue(parsing: String($0))
            }
        }

        private static func export(
            _ arguments: [String], to path: String, as client: TestClient, _ stack: ServiceStack
        ) async throws -> JSONValue {
            let process = try stack.zonda(["export", "-o", path, "--json"] + arguments, as: client)
            let exit = try await process.exit(within: .seconds(30))
            #expect(exit == .code(0), "\(process.errorText)")
            return try JSONValue(parsing: process.errorText)
        }

        private static func restore(
            _ path: String, _ arguments: [String], as client: TestClient, _ stack: ServiceStack, status: Int32 = 0
        ) async throws -> JSONValue {
            let process = try stack.zonda(["import", path, "--json"] + arguments, as: client)
            let exit = try await process.exit(within: .seconds(30))
            #expect(exit == .code(status), "\(process.errorText)")
            return try JSONValue(parsing: process.outputText)
        }

        /// A temporary folder.
        private final class Folder {
            private let url = FileManager.default.temporaryDirectory.appending(
                path: "zonda-export-\(UUID().uuidString)")

            init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
            deinit { try? FileManager.default.removeItem(at: url) }

            /// Returns the path of a file in the folder.
            func path(_ name: String) -> String { url.appending(path: name).path }
        }
    }
}
