import CloudKitWire
import CommandLineSession
import ServiceMessages
import TestGenerators

/// A slot of a producer. It has one request in progress at a time. It creates records that no other slot writes,
/// updates and deletes some of them, and reports acknowledged operations to the watchers.
struct WatchedSlot: Sendable {
    private let plan: WatchedPlan
    private let slot: Int
    private let requester: any Requester
    private let watchers: LoadWatchers
    private let tally: Tally<WatchedCounts>
    private var random: SeededGenerator
    private var recordCount = 0
    /// The records that can be updated, by zone.
    private var made: [[Int]]
    /// The records that can be deleted, by zone.
    private var changed: [[Int]]

    /// Creates the slot with the number `slot`.
    init(
        _ slot: Int, plan: WatchedPlan, requester: any Requester, watchers: LoadWatchers, tally: Tally<WatchedCounts>
    ) {
        self.plan = plan
        self.slot = slot
        self.requester = requester
        self.watchers = watchers
        self.tally = tally
        random = SeededGenerator(seed: plan.seed &+ UInt64(slot) &* 0x2545_F491_4F6C_DD1D)
        made = Array(repeating: [], count: plan.zones)
        changed = made
    }

    /// Saves records from `start` until the plan's duration has passed and the last answer has arrived.
    consuming func run(from start: ContinuousClock.Instant) async {
        var pace = LoadPace(rate: plan.rate, slot: slot, of: plan.slots, from: start, for: plan.duration)
        var requestCount = 0
        while requestCount < plan.requestsPerSlot ?? .max, await pace.next() != nil {
            requestCount += 1
            let wasAnswered = await saveOnce()
            if !wasAnswered { try? await ContinuousClock().sleep(for: .milliseconds(100)) }
        }
    }

    private mutating func saveOnce() async -> Bool {
        let zone = Int.random(in: 0..<plan.zones, using: &random)
        var operations: [HearingLedger.Operation] = []
        while operations.count < plan.operations { operations.append(next(inZone: zone)) }
        do throws(RequestFailure) {
            let answer = try await requester.ask(
                Request(.recordsModify, body: body(operations, zone: zone).encoded()), limit: plan.requestLimit)
            let now = ContinuousClock.now
            let code = ReplyScan.errorCode(in: answer.body) ?? (answer.isGood ? nil : "STATUS_\(answer.status)")
            tally.update { counts in
                counts.retried += answer.attempts - 1
                if let code {
                    counts.failed += operations.count
                    counts.errors.note(code, count: operations.count)
                } else {
                    counts.acknowledged += operations.count
                }
            }
            // The records of a failed request are not used again, because it is unknown whether notifications of them
            // will arrive.
            guard code == nil else { return true }
            watchers.expect(operations, inZone: zone, at: now)
            for operation in operations {
                switch operation.kind {
                case .created: made[zone].append(operation.record.index)
                case .updated: changed[zone].append(operation.record.index)
                case .deleted: break
                }
            }
            return true
        } catch {
            tally.update { counts in
                counts.failed += operations.count
                counts.errors.note(error.code, count: operations.count)
            }
            return false
        }
    }

    /// Returns the next operation. A third of the operations create, a third update and a third delete, provided that
    /// records to update and delete exist.
    private mutating func next(inZone zone: Int) -> HearingLedger.Operation {
        let kind: ChangedRecord.Kind
        let index: Int
        switch Int.random(in: 0..<3, using: &random) {
        case 0 where !made[zone].isEmpty: (kind, index) = (.updated, made[zone].removeLast())
        case 1 where !changed[zone].isEmpty: (kind, index) = (.deleted, changed[zone].removeLast())
        default:
            (kind, index) = (.created, recordCount)
            recordCount += 1
        }
        return HearingLedger.Operation(record: LoadNames.Record(slot: slot, index: index), kind: kind)
    }

    private func body(_ operations: [HearingLedger.Operation], zone: Int) -> JSONValue {
        [
            "zoneID": ["zoneName": .string(plan.names.zone(zone))], "desiredKeys": [],
            "operations": .array(
                operations.map { operation in
                    let name = JSONValue.string(plan.names.record(operation.record))
                    guard operation.kind != .deleted else {
                        return ["operationType": "forceDelete", "record": ["recordName": name]]
                    }
                    let number: JSONValue = operation.kind == .created ? 1 : 2
                    return [
                        "operationType": "forceReplace",
                        "record": [
                            "recordName": name, "recordType": .string(LoadBodies.recordType),
                            "fields": ["n": ["value": number, "type": "INT64"]],
                        ],
                    ]
                }),
        ]
    }
}
