import CloudKitWire
import CommandLineSession
import ServiceMessages

/// Verifies the records of a load in one zone, as one user sees them: looks up every record by name, and reads the
/// whole change feed.
struct ZoneVerifier: Sendable {
    private static let lookupCount = 200
    private static let pageCount = 1000

    /// Sends the requests.
    let requester: any Requester
    /// The names of the run.
    let names: LoadNames
    /// The zone's number.
    let zone: Int
    /// The record name of the zone's owner; nil in the owner's private database.
    var owner: String?
    /// The time limit of a request.
    let limit: Duration

    /// Compares the zone's records with `expectations`. Takes a round trip for every 200 records and for every page of
    /// the feed.
    ///
    /// - Parameter hidden: records of the zone that the user must not see.
    /// - Throws: the failure of a request. If the zone does not exist, nothing is thrown, and all records are missing.
    func findings(
        _ expectations: [LoadNames.Record: RecordLedger.Expectation], hidden: Set<LoadNames.Record> = []
    ) async throws(RequestFailure) -> ZoneAudit.Findings {
        var audit = ZoneAudit(expectations: expectations, hidden: hidden)
        do {
            try await lookUp(&audit)
            try await walkFeed(&audit)
        } catch {
            guard error.code == "ZONE_NOT_FOUND" else { throw error }
        }
        return audit.finish()
    }

    private var place: ZonePlace { ZonePlace(names.zone(zone), owner: owner) }

    private func lookUp(_ audit: inout ZoneAudit) async throws(RequestFailure) {
        let records = audit.records
        for first in stride(from: 0, to: records.count, by: Self.lookupCount) {
            let wanted = records[first..<min(first + Self.lookupCount, records.count)]
            let answer = try await requester.ask(
                .recordsLookup,
                [
                    "zoneID": place.json, "desiredKeys": ["n"],
                    "records": .array(wanted.map { ["recordName": .string(names.record($0))] }),
                ], limit: limit)
            let found = answer["records"]?.array ?? []
            for (position, record) in wanted.enumerated() {
                let item = position < found.count ? found[position] : .null
                if let refusal = RequestFailure.Refusal(item), refusal.code != "NOT_FOUND" {
                    throw .refused(refusal)
                }
                audit.lookedUp(record, number: Self.number(of: item))
            }
        }
    }

    private func walkFeed(_ audit: inout ZoneAudit) async throws(RequestFailure) {
        var feed = ZoneFeed(requester: requester, zone: names.zone(zone), owner: owner, limit: limit)
        feed.desiredKeys = ["n"]
        feed.pageCount = Self.pageCount
        while let page = try await feed.nextPage() {
            for item in page {
                guard let name = item["recordName"]?.string, let record = names.record(named: name) else { continue }
                audit.met(record, number: item["deleted"]?.bool == true ? nil : Self.number(of: item))
            }
        }
    }

    /// Returns the number in a record's field `n`; nil if the record has none, such as a tombstone.
    static func number(of record: JSONValue) -> UInt32? {
        record["fields"]?["n"]?["value"]?.int.flatMap { UInt32(exactly: $0) }
    }
}
