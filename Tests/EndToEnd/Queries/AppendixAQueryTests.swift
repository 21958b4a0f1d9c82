import AMQPClient
import CloudKitModel
import CloudKitQuery
import CloudKitWire
import Foundation
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests.QueryTests {
    /// The common mistakes about queries (semantics, appendix A 9 to 12), by number.
    @Suite struct AppendixAQueryTests {
        private static let schema = """
            DEFINE SCHEMA RECORD TYPE Property ("___recordID" REFERENCE QUERYABLE, "___createTime" TIMESTAMP SORTABLE,
                address STRING SEARCHABLE, ownerName STRING, salePrice DOUBLE, brochure ASSET,
                GRANT WRITE TO "_creator", GRANT CREATE TO "_icloud", GRANT READ TO "_world");
            """
        private static let keys = JSONValue.Member("desiredKeys", ["address", "ownerName", "salePrice"])

        /// The query of the article: properties of a zone in Cupertino, oldest first, without their brochures.
        private static func properties(_ client: TestClient) async throws -> TestReply {
            try await client.find(
                "address CONTAINS[c] 'Cupertino'", of: "Property", sorts: [Sort(.system(.createdTimestamp))],
                zone: "Local", with: [keys])
        }

        private static func fill(_ client: TestClient) async throws {
            try await client.zones("create", "Local", "Elsewhere")
            let brochure = try await client.upload(randomBytes(2_000), field: "brochure")
            let rows = [
                ("z", "1 Infinite Loop, Cupertino"), ("m", "2 Main Street, Springfield"), ("a", "3 De Anza, CUPERTINO"),
            ]
            for (name, address) in rows {
                let property: JSONValue = [
                    "address": .string(address), "ownerName": "Maria", "salePrice": .typed(1_500_000.5, "DOUBLE"),
                    "brochure": .typed(brochure, "ASSET"),
                ]
                // Each is saved in a separate request, so that the creation times differ.
                try await client.save([.item(name, property, of: "Property")], zone: "Local")
            }
            try await client.save([.item("b", ["address": "Cupertino"], of: "Property")], zone: "Elsewhere")
        }

        private static func check(_ reply: TestReply) throws {
            #expect(reply.body.recordNames == ["z", "a"], "\(reply.body)")
            let record = try #require(reply["records"]?[0])
            #expect(record.values.keys.sorted() == ["address", "ownerName", "salePrice"])
            #expect(record.values["salePrice"] == .double(1_500_000.5))
            #expect(record["zoneID"]?["zoneName"] == "Local")
        }

        @Test func a09_theArticlesQueryFindsPropertiesWithoutTheirBrochures() async throws {
            let client = try await SharedStack.current.client().inNewContainer()
            try await Self.fill(client)
            try Self.check(try await Self.properties(client))
            let whole = try await client.find("recordID == 'z'", of: "Property", zone: "Local")
            #expect(whole["records"]?[0]?.values["brochure"]?["downloadURL"]?.string != nil, "it is there, if wanted")
            try await client.untilIndexesAreReady()
            try Self.check(try await Self.properties(client))
        }

        @Test func a09_theArticlesQueryFindsPropertiesInProduction() async throws {
            let client = try await SharedStack.current.client().inNewContainer()
            try await client.deploy(Self.schema)
            let production = client.with(Header.environment, "production")
            try await Self.fill(production)
            try await production.untilIndexesAreReady()
            let reply = try await Self.properties(production)
            try Self.check(reply)
            #expect(reply.body.warnings == [])
        }

        @Test func a10_wordsAreFoundInAnyFieldWithoutAccentsAndStopWordsAreIgnored() async throws {
            let client = try await SharedStack.current.client().inNewContainer()
            try await client.save([
                .item("a", ["title": "After the Gold Rush", "note": "Question session, at 3"]),
                .item("b", ["title": "After", "note": "gold"]),
                .item("c", ["title": "Crème brûlée", "note": "STRASSE and straße"]),
                .item("d", ["title": "afterwards in session"]),
            ])
            let rows: [(String, String)] = [
                ("after session", "a"), ("SESSION after", "a"), ("after gold", "ab"), ("the after", "ab"), ("the", ""),
                ("", ""), ("?!", ""), ("creme", "c"), ("BRÛLÉE crème", "c"), ("bru\u{302}le\u{301}e", "c"), ("aft", ""),
                ("session, 3", "a"), ("after nothing", ""),
            ]
            for stage in ["unindexed", "indexed"] {
                for (words, expected) in rows {
                    let reply = try await client.find("self CONTAINS %@", [.value(.string(words))])
                    #expect(reply.body.recordNames == expected.map(String.init), "\(stage): \(words)")
                }
                let any = try await client.find("ANY tokenize('gold creme the', 'Cdl') IN allTokens")
                #expect(any.body.recordNames == ["a", "b", "c"])
                try await client.untilIndexesAreReady()
            }
        }

        /// Tests places in all directions around a point, including points near the pole and at the date line.
        @Test(arguments: [(37.3318, -122.0312), (0.0, 179.99), (89.0, 10.0), (-33.9, 18.4)])
        func a11_placesWithinTheRadiusAreFoundAndSortedNearestFirst(latitude: Double, longitude: Double) async throws {
            let client = try await SharedStack.current.client().inNewContainer()
            // The length in metres of one degree of a great circle.
            let degree = 6_371_008.8 * Double.pi / 180
            let north = { (metres: Double) in JSONValue.place(latitude + metres / degree, longitude) }
            let east = { (metres: Double) in
                let radius = cos(latitude * .pi / 180)
                // The chord of the parallel. The great circle between its ends is slightly shorter than the arc of the
                // parallel.
                let angle = 2 * asin(sin(metres / degree * .pi / 360) / radius) * 180 / .pi
                let sum = longitude + angle
                return JSONValue.place(latitude, sum > 180 ? sum - 360 : sum)
            }
            try await client.save([
                .item("north99", ["place": north(9_900)]), .item("north101", ["place": north(10_100)]),
                .item("south99", ["place": north(-9_800)]), .item("east99", ["place": east(9_950)]),
                .item("east101", ["place": east(10_050)]), .item("here", ["place": .place(latitude, longitude)]),
                .item("nowhere", ["n": 1]),
            ])
            let centre = Location(latitude: latitude, longitude: longitude)
            let sorts = [Sort(.field("place"), relativeLocation: centre)]
            let near = "distanceToLocation:fromLocation:(place, %@) < 10000"
            for stage in ["unindexed", "indexed"] {
                for limit: Int64 in [10, 1] {
                    let found = try await client.walk(near, [.value(.location(centre))], sorts: sorts, limit: limit)
                    #expect(found == ["here", "south99", "north99", "east99"], "\(stage)")
                    let all = try await client.walk(sorts: sorts, limit: limit)
                    #expect(
                        all == ["here", "south99", "north99", "east99", "east101", "north101", "nowhere"], "\(stage)")
                }
                try await client.untilIndexesAreReady()
            }
        }

        @Test(arguments: [[], [Sort(.field("n"))], [Sort(.field("n"), ascending: false), Sort(.field("title"))]])
        func a12_pagesMissAndRepeatNothingWhileRecordsComeAndGo(sorts: [Sort]) async throws {
            let client = try await SharedStack.current.client().inNewContainer()
            let stays = (0..<60).map { String(format: "r%03d", $0 * 10) }
            let goes = (0..<30).map { String(format: "r%03d", $0 * 20 + 5) }
            try await client.save(
                (stays + goes).map { .item($0, ["n": .int(Int64($0.dropFirst())! / 40), "title": .string($0)]) })
            var seen: [String] = []
            var marker: JSONValue?
            var pages = 0
            repeat {
                let members =
                    [.init("resultsLimit", 7)] + (marker.map { [JSONValue.Member("continuationMarker", $0)] } ?? [])
                let page = try await client.find(sorts: sorts, with: members)
                try #require(page.status == 200, "\(page.body)")
                seen += page.body.recordNames
                #expect(page.body.recordNames.count <= 7)
                marker = page["continuationMarker"].flatMap { $0.isNull ? JSONValue?.none : $0 }
                if let text = marker?.string { #expect(Data(base64Encoded: text) != nil, "standard base64: \(text)") }
                // Before, at and after the end of the page, some records are created and some are deleted.
                for offset in [1, 33] {
                    let name = String(format: "r%03d", (pages * 61 + offset * 7) % 600 + 3)
                    if !stays.contains(name) { try await client.save([.item(name, ["n": .int(Int64(pages))])]) }
                }
                try await client.delete("Z", goes[pages % goes.count])
                if let last = page.body.recordNames.last, goes.contains(last) { try await client.delete("Z", last) }
                pages += 1
            } while marker != nil
            #expect(Set(seen).count == seen.count, "none twice")
            #expect(Set(stays).isSubset(of: seen), "none that was always there is missing")
            #expect(pages >= 9)
        }

        @Test func a12_aMarkerIsOfOneQueryAndOfOneServer() async throws {
            let client = try await SharedStack.current.client().inNewContainer()
            try await client.zones("create", "Y")
            for zone in ["Z", "Y"] { try await client.save((0..<5).map { .item("r\($0)", ["n": 1]) }, zone: zone) }
            let page = try await client.find("n > 0", with: [.init("resultsLimit", 2)])
            let marker = try #require(page["continuationMarker"]?.string)
            let next: [JSONValue.Member] = [.init("continuationMarker", .string(marker))]
            // With other keys and another page size, it is still the same query.
            let same = try await client.find(
                "n > 0", with: next + [.init("desiredKeys", []), .init("resultsLimit", 50)])
            #expect(same.body.recordNames == ["r2", "r3", "r4"])
            #expect(same["continuationMarker"]?.isNull != false)
            let foreign = [
                try await client.find("n > 1", with: next), try await client.find(with: next),
                try await client.find("n > 0", sorts: [Sort(.field("n"))], with: next),
                try await client.find("n > 0", zone: "Y", with: next),
                try await client.find("n > 0", zone: nil, with: next + [.init("zoneWide", true)]),
            ]
            for reply in foreign {
                #expect(reply.status == 400)
                #expect(reply.body.reasonCode == "query_marker_foreign", "\(reply.body)")
                #expect(reply["ckErrorCode"] == 12)
            }
            let stranger = client.asAnotherUser()
            try await stranger.zones("create", "Z")
            try await stranger.save([.item("r9", ["n": 1])])
            #expect(try await stranger.find("n > 0", with: next).body.reasonCode == "query_marker_foreign")
            let bytes = Array(marker.utf8)
            var altered = (0..<bytes.count).map { index in
                var copy = bytes
                copy[index] = copy[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
                return String(decoding: copy, as: UTF8.self)
            }
            let token = try #require(try await client.changes("Z").syncToken)
            altered += ["", "x", String(marker.dropLast(4)), marker + "AAAA", token, "AAAA' or 1=1--"]
            // The last letter before the padding has unused bits.
            for text in altered where Data(base64Encoded: text) != Data(base64Encoded: marker) {
                let reply = try await client.find("n > 0", with: [.init("continuationMarker", .string(text))])
                #expect(reply.status == 400)
                #expect(reply.body.reasonCode == "query_marker_invalid", "\(text): \(reply.body)")
            }
        }
    }
}

extension EndToEndTests {
    /// Appendix A 9 with the profile that accepts only the queries that CloudKit accepts.
    @Suite(.sharedStack(["ZONDA_LIMIT_PROFILE": "compat"]), .timeLimit(.minutes(2))) struct CompatQueryTests {
        private static let schema = """
            DEFINE SCHEMA RECORD TYPE Property ("___recordID" REFERENCE QUERYABLE, "___createTime" TIMESTAMP SORTABLE,
                address STRING QUERYABLE SEARCHABLE, ownerName STRING, salePrice INT64 SORTABLE,
                GRANT WRITE TO "_creator", GRANT CREATE TO "_icloud", GRANT READ TO "_world");
            """

        @Test func a09_theArticlesQueryIsRefusedAsCloudKitDoes() async throws {
            let client = try await SharedStack.current.client().inNewContainer()
            try await client.deploy(Self.schema)
            for environment in ["development", "production"] {
                let client = client.with(Header.environment, .string(environment))
                try await client.zones("create", "Z")
                let refused = try await client.find(
                    "address CONTAINS[c] 'Cupertino'", of: "Property", sorts: [Sort(.system(.createdTimestamp))])
                #expect(refused.status == 400)
                #expect(refused["ckErrorCode"] == 12)
                #expect(
                    refused["reason"]
                        == "CONTAINS on a string field is not supported; use SEARCHABLE and self CONTAINS, or BEGINSWITH"
                )
            }
        }

        @Test func whatCloudKitHasIsAnsweredAndWhatItLacksIsRefused() async throws {
            let client = try await SharedStack.current.client().inNewContainer()
            try await client.deploy(Self.schema)
            let production = client.with(Header.environment, "production")
            try await production.zones("create", "Z")
            try await production.save([
                .item("a", ["address": "Cupertino", "ownerName": "M", "salePrice": 5], of: "Property")
            ])
            let accepted = [
                "TRUEPREDICATE", "address == 'Cupertino'", "address BEGINSWITH 'C'", "NOT (address IN {'x'})",
                "self CONTAINS 'cupertino'", "salePrice > 1 AND salePrice < 9", "address != 'x'", "recordID == 'a'",
            ]
            for format in accepted {
                let reply = try await production.find(format, of: "Property")
                #expect(reply.body.recordNames == ["a"], "\(format): \(reply.body)")
            }
            let refused: [(String, String)] = [
                ("address == 'x' OR address == 'y'", "predicate_not_supported"),
                ("address == nil", "predicate_not_supported"), ("address ENDSWITH 'o'", "predicate_not_supported"),
                ("address LIKE 'C*'", "predicate_not_supported"), ("address MATCHES 'C.*'", "predicate_not_supported"),
                ("address ==[c] 'cupertino'", "predicate_not_supported"),
                ("NOT (self CONTAINS 'cupertino')", "predicate_not_supported"),
                ("NOT (salePrice BETWEEN {1, 2})", "predicate_not_supported"),
                ("NOT (salePrice > 1 AND salePrice < 9)", "predicate_not_supported"),
                ("ownerName == 'M'", "field_not_queryable"), ("salePrice == 5", "field_not_queryable"),
                ("address > 'A'", "field_not_sortable"),
            ]
            for (format, code) in refused {
                let reply = try await production.find(format, of: "Property")
                #expect(reply.body.reasonCode == code && reply["ckErrorCode"] == 12, "\(format): \(reply.body)")
            }
            let unsorted = try await production.find(of: "Property", sorts: [Sort(.field("address"))])
            #expect(unsorted["reason"] == "Field 'address' is not marked sortable")
            let unmarked = try await production.find("ownerName == 'M'", of: "Property")
            #expect(unmarked["reason"] == "Field 'ownerName' is not marked queryable")
        }
    }
}
