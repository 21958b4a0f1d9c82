import CloudKitWire
import CommandLineSession
import ServiceMessages

/// Sends lines of one zone in a single request.
struct ImportSender: Sendable {
    /// The maximum time for which a request is retried before its lines fail.
    let limit: Duration
    let requester: any Requester
    /// The source of the assets' receipts; nil to send assets unchanged.
    let assets: ImportAssets?
    /// The user who owns the zones; nil for the owner of the database.
    var owner: String?

    /// The codes of failures that would also affect all other requests in the import.
    private static let hopelessCodes: Set<String> = [
        "ZONE_NOT_FOUND", "ACCESS_DENIED", "AUTHENTICATION_FAILED", "AUTHENTICATION_REQUIRED",
    ]

    /// An operation to send: the line, and its JSON with receipts.
    private struct Sent {
        var line: ImportLine
        var json: [UInt8]
    }

    /// Sends `lines`.
    ///
    /// - Throws: a failure that would also affect all other requests, for example because access is denied.
    func send(_ lines: [ImportLine]) async throws(RequestFailure) -> ImportBatch {
        var batch = ImportBatch(items: [])
        let wanted = Set(lines.flatMap(\.assets))
        guard let assets, !wanted.isEmpty else {
            try await send(lines.map { Sent(line: $0, json: $0.bytes) }[...], into: &batch)
            return batch
        }
        let found = await assets.receipts(for: wanted)
        batch.uploads = found.uploads
        var sent: [Sent] = []
        for line in lines {
            if let failure = line.assets.lazy.compactMap({ found.failures[$0] }).first {
                batch.items.append((line, .failed(failure)))
            } else {
                let json = line.assets.isEmpty ? nil : try? JSONValue(parsing: line.bytes)
                sent.append(
                    Sent(line: line, json: json?.replacingAssets(by: found.assets).encoded() ?? line.bytes))
            }
        }
        try await send(sent[...], into: &batch)
        return batch
    }

    /// Sends operations. If one invalid operation causes the whole request to be refused, the operations are repeatedly
    /// split into two halves and sent again, until the invalid operation is isolated.
    private func send(_ sent: ArraySlice<Sent>, into batch: inout ImportBatch) async throws(RequestFailure) {
        guard let zone = sent.first?.line.zone else { return }
        do throws(RequestFailure) {
            let answer = try await requester.ask(
                Request(.recordsModify, body: Self.body(sent.map(\.json), zone: ZonePlace(zone, owner: owner))),
                limit: limit)
            let items = try answer.json()["records"]?.array ?? []
            batch.retried += answer.attempts - 1
            for (index, sent) in sent.enumerated() {
                batch.items.append((sent.line, Self.outcome(index < items.count ? items[index] : nil)))
            }
        } catch {
            if case .refused(let refusal) = error {
                if Self.hopelessCodes.contains(refusal.code) { throw error }
                if refusal.code == "BAD_REQUEST", sent.count > 1 {
                    let half = sent.startIndex + sent.count / 2
                    try await send(sent[..<half], into: &batch)
                    try await send(sent[half...], into: &batch)
                    return
                }
            }
            for sent in sent { batch.items.append((sent.line, .failed(error))) }
        }
    }

    private static func outcome(_ item: JSONValue?) -> ImportBatch.Outcome {
        guard let item else { return .failed(.unanswered(reason: "the answer contains no item for this line")) }
        if let refusal = RequestFailure.Refusal(item) { return .failed(.refused(refusal)) }
        return item["deleted"]?.bool == true ? .deleted : .saved
    }

    /// Returns the body of a request with the unchanged operations. The request is not atomic, and its answer contains
    /// no fields.
    private static func body(_ operations: [[UInt8]], zone: ZonePlace) -> [UInt8] {
        var writer = WireWriter(capacity: operations.reduce(200) { $0 + $1.count + 1 })
        writer.object { writer in
            writer.key("zoneID")
            writer.value(zone.json)
            writer.member("atomic", false)
            writer.key("desiredKeys")
            writer.value([])
            writer.key("operations")
            writer.array(operations) { $0.raw($1) }
        }
        return writer.bytes
    }
}
