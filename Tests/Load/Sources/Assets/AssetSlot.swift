import CloudKitWire
import CommandLineSession
import ServiceMessages
import TestGenerators

/// A slot of a producer. It executes one step at a time: an upload with the save of its record, a deletion, or a
/// download. No other slot writes its records.
struct AssetSlot: Sendable {
    private static let recordType = "LoadAsset"
    /// The maximum size of an upload in a message, in bytes.
    private static let maxMessageBytes = Int64(AssetLimits.maxMessageBytes)

    private let plan: AssetLoadPlan
    private let slot: Int
    private let requester: any Requester
    private let transfer: AssetTransfer
    private let contents: AssetContents
    private let tally: Tally<AssetLoadCounts>
    private var ledger = AssetLedger()
    private var random: SeededGenerator
    /// The number of the content of each record.
    private var contentOf: [Int: Int] = [:]
    /// The content of the last deleted record, which is uploaded again.
    private var lastDeleted: Int?

    /// Creates the slot with the number `slot`.
    init(
        _ slot: Int, plan: AssetLoadPlan, requester: any Requester, transfer: AssetTransfer, contents: AssetContents,
        tally: Tally<AssetLoadCounts>
    ) {
        self.plan = plan
        self.slot = slot
        self.requester = requester
        self.transfer = transfer
        self.contents = contents
        self.tally = tally
        random = SeededGenerator(seed: plan.seed &+ UInt64(slot) &* 0x2545_F491_4F6C_DD1D)
    }

    /// Executes steps from `start` until the plan's duration has passed and the last step is complete.
    ///
    /// - Returns: the ledger of its records.
    consuming func run(from start: ContinuousClock.Instant) async -> AssetLedger {
        var pace = LoadPace(rate: 0, slot: slot, of: plan.slots, from: start, for: plan.duration)
        var stepCount = 0
        while stepCount < plan.stepsPerSlot ?? .max, let due = await pace.next() {
            stepCount += 1
            do throws(RequestFailure) {
                try await step()
                let latency = ContinuousClock.now - due
                tally.update { $0.latencies.record(latency) }
            } catch {
                tally.update { $0.note(error) }
                try? await ContinuousClock().sleep(for: .milliseconds(100))
            }
        }
        return ledger
    }

    private mutating func step() async throws(RequestFailure) {
        guard let record = ledger.pick(Int(random.next() >> 33)) else { return try await store(nil, chooseContent()) }
        switch Int.random(in: 0..<100, using: &random) {
        case ..<30: try await store(nil, chooseContent())
        case ..<50: try await store(record, chooseContent())
        case ..<60: try await delete(record)
        case ..<65: try await rereference(record)
        case ..<72:
            if let lastDeleted { try await store(nil, (lastDeleted, true)) } else { try await read(record) }
        default: try await read(record)
        }
    }

    /// Chooses a content. A third of the chosen contents have been used before.
    private mutating func chooseContent() -> (number: Int, isUsed: Bool) {
        if random.chance(1 / 3), let used = contents.used(&random) { return (used, true) }
        return (contents.new(), false)
    }

    /// Uploads a content and saves it in the record `old`, or in a new record if `old` is nil.
    private mutating func store(
        _ old: Int?, _ content: (number: Int, isUsed: Bool)
    ) async throws(RequestFailure) {
        let source = contents.bytes(of: content.number)
        let asset = try await upload(source)
        tally.update { counts in
            counts.uploads += 1
            counts.uploadedBytes += source.size
            if content.isUsed { counts.duplicates += 1 }
        }
        try await save(old ?? ledger.beginNew(), asset, content.number)
        tally.update { if old == nil { $0.saves += 1 } else { $0.replacements += 1 } }
    }

    /// Saves the asset of a record in a new record.
    private mutating func rereference(_ record: Int) async throws(RequestFailure) {
        guard let number = contentOf[record] else { return }
        let place = plan.place(ofRecord: record, slot: slot)
        let asset: AssetValue
        do throws(RequestFailure) {
            asset = try await requester.rereference(place, limit: plan.requestLimit)
        } catch {
            guard error.saysNotThere else { throw error }
            return tally.update { $0.missing += 1 }
        }
        guard asset.checksum == ledger.expectation(of: record).acknowledged else {
            return tally.update { $0.wrongBytes += 1 }
        }
        try await save(ledger.beginNew(), asset, number)
        tally.update { $0.rereferences += 1 }
    }

    /// Saves an asset with a receipt in a record.
    private mutating func save(_ record: Int, _ asset: AssetValue, _ number: Int) async throws(RequestFailure) {
        let place = plan.place(ofRecord: record, slot: slot)
        let body: JSONValue = [
            "operationType": "forceReplace",
            "record": [
                "recordName": .string(place.recordName), "recordType": .string(Self.recordType),
                "fields": .object([JSONValue.Member(place.field, ["value": asset.json, "type": "ASSETID"])]),
            ],
        ]
        try await modify(record, body, at: place, holds: asset.checksum)
        contentOf[record] = number
    }

    private mutating func delete(_ record: Int) async throws(RequestFailure) {
        let place = plan.place(ofRecord: record, slot: slot)
        try await modify(
            record, ["operationType": "forceDelete", "record": ["recordName": .string(place.recordName)]], at: place,
            holds: nil)
        lastDeleted = contentOf.removeValue(forKey: record)
        tally.update { $0.deletions += 1 }
    }

    private func read(_ record: Int) async throws(RequestFailure) {
        let reader = AssetReader(requester: requester, transfer: transfer, limit: plan.requestLimit)
        let finding = try await reader.read(
            plan.place(ofRecord: record, slot: slot), ledger.expectation(of: record))
        tally.update { counts in
            switch finding {
            case .good(let bytes):
                counts.downloads += 1
                counts.downloadedBytes += bytes
            case .missing: counts.missing += 1
            case .wrong: counts.wrongBytes += 1
            }
        }
    }

    /// Uploads a content. Of the contents that fit in a message, a quarter are sent in one.
    private mutating func upload(_ source: AssetBytes) async throws(RequestFailure) -> AssetValue {
        if source.size <= Self.maxMessageBytes, random.chance(1 / 4) {
            return try await requester.put(source, limit: plan.requestLimit)
        }
        let addresses = try await requester.uploadAddresses(
            1, type: Self.recordType, recordName: nil, field: AssetLoadPlan.field, limit: plan.requestLimit)
        return try await requester.upload(source, to: addresses[0], over: transfer, limit: plan.requestLimit)
    }

    /// Sends one operation that sets the content of `record` to `checksum`, or deletes the record.
    private mutating func modify(
        _ record: Int, _ operation: JSONValue, at place: AssetPlace, holds checksum: AssetChecksum?
    ) async throws(RequestFailure) {
        let body: JSONValue = [
            "zoneID": ["zoneName": .string(place.zone)], "desiredKeys": [], "operations": [operation],
        ]
        // Without an answer, or after an internal error of the service, it is unknown whether the operation has taken
        // effect.
        var isUncertain = true
        do throws(RequestFailure) {
            let answer = try await requester.ask(
                Request(.recordsModify, body: body.encoded()), limit: plan.requestLimit)
            isUncertain = answer.status >= 500 || answer.status == 429
            if let refusal = RequestFailure.Refusal(try answer.json()["records"]?[0] ?? .null) {
                throw RequestFailure.refused(refusal)
            }
            ledger.acknowledge(record, checksum)
        } catch {
            if isUncertain { ledger.lose(record, checksum) }
            throw error
        }
    }
}
