import CommandLineSession
import ServiceMessages
import TestGenerators

/// A slot of a producer. It sends a request, waits for the answer and sends the next request. No other slot writes its
/// records, so two operations on a record are never in progress at the same time, and no lock is necessary.
struct LoadSlot: Sendable {
    private let plan: LoadPlan
    private let slot: Int
    private let users: LoadUsers
    private let tally: Tally<RecordLoadCounts>
    private let bodies: LoadBodies
    private let messageIDPrefix: String
    private var ledger: RecordLedger
    private var random: SeededGenerator
    private var requestCount = 0

    /// Creates the slot with the number `slot`.
    init(_ slot: Int, plan: LoadPlan, users: LoadUsers, tally: Tally<RecordLoadCounts>, runID: UInt64) {
        self.plan = plan
        self.slot = slot
        self.users = users
        self.tally = tally
        let seed = plan.seed &+ UInt64(slot) &* 0x2545_F491_4F6C_DD1D
        bodies = LoadBodies(
            names: plan.names, owner: users.ownerName, slot: slot, sizeBytes: plan.sizeBytes, seed: seed)
        // The message id has the form of a UUID: the run's 64 random bits, the slot, and a counter.
        let run = hexadecimal(runID, digits: 16)
        messageIDPrefix =
            "\(run.prefix(8))-\(run.dropFirst(8).prefix(4))-\(run.suffix(4))-"
            + hexadecimal(UInt64(slot), digits: 4) + "-"
        ledger = RecordLedger(placeCount: plan.places.count)
        random = SeededGenerator(seed: seed)
    }

    /// Sends requests from `start` until the plan's duration has passed and the last answer has arrived.
    ///
    /// - Returns: the ledger of its records.
    consuming func run(from start: ContinuousClock.Instant) async -> RecordLedger {
        var pace = LoadPace(rate: plan.rate, slot: slot, of: plan.slots, from: start, for: plan.duration)
        while requestCount < plan.requestsPerSlot ?? .max, let due = await pace.next() {
            let wasAnswered = await askOnce(due: due)
            // An unanswered request was abandoned after a long time, or because no request can succeed. The pause
            // avoids a busy loop.
            if !wasAnswered { try? await ContinuousClock().sleep(for: .milliseconds(100)) }
        }
        return ledger
    }

    private mutating func askOnce(due: ContinuousClock.Instant) async -> Bool {
        let offset = Int(random.next() >> 33)
        let isRead = random.chance(plan.reads)
        let isUpdate = random.chance(plan.updates)
        // Chooses a place with records to read or replace. The first requests find no such place and create records.
        if isRead || isUpdate, let place = ledger.placeWithRecords(near: offset) {
            return isRead
                ? await read(place: place, offset: offset, due: due)
                : await write(
                    ledger.beginAgain(inPlace: place, offset: offset, count: plan.operations), place: place,
                    offset: offset, due: due)
        }
        return await write(
            [], place: Int.random(in: 0..<plan.places.count, using: &random), offset: offset, due: due)
    }

    /// Sends `writes`, with enough new records to reach the number of operations in a request.
    private mutating func write(
        _ writes: [RecordLedger.Write], place: Int, offset: Int, due: ContinuousClock.Instant
    ) async -> Bool {
        var writes = writes
        while writes.count < plan.operations { writes.append(ledger.beginNew(inPlace: place)) }
        let body = bodies.modify(
            zone: plan.places.zone(of: place), share: plan.places.share(of: place), writes, fillerOffset: offset)
        let outcome = await ask(.recordsModify, of: place, body: body, count: writes.count, due: due)
        for write in writes {
            switch outcome {
            case .good: ledger.acknowledge(write)
            case .refused: break
            case .unknown: ledger.lose(write)
            }
        }
        if case .good = outcome { tally.update { $0.acknowledged += writes.count } }
        return outcome.wasAnswered
    }

    private mutating func read(place: Int, offset: Int, due: ContinuousClock.Instant) async -> Bool {
        let records = ledger.pick(inPlace: place, offset: offset, count: plan.operations)
        let body = bodies.lookup(zone: plan.places.zone(of: place), records: records)
        let outcome = await ask(.recordsLookup, of: place, body: body, count: records.count, due: due)
        guard case .good(let answer) = outcome else { return outcome.wasAnswered }
        let numbers = ReplyScan.numbers(in: answer.body)
        let stale = records.indices.count { index in
            index >= numbers.count || ledger.expectation(of: records[index]).verdict(found: numbers[index]) != .good
        }
        tally.update {
            $0.reads += records.count
            $0.staleReads += stale
        }
        return true
    }

    private enum Outcome {
        case good(Answer)
        case refused
        case unknown(wasAnswered: Bool)

        var wasAnswered: Bool { if case .unknown(wasAnswered: false) = self { false } else { true } }
    }

    /// Sends a request on records of a place. In a share, the owner and the participants send the requests in turn.
    private mutating func ask(
        _ operation: ServiceMessages.Operation, of place: Int, body: [UInt8], count: Int, due: ContinuousClock.Instant
    ) async -> Outcome {
        let requester = plan.places.share(of: place) == nil ? users.owner : users.inTurn(slot + requestCount)
        requestCount += 1
        let request = Request(
            operation, body: body, messageID: messageIDPrefix + hexadecimal(UInt64(requestCount), digits: 12))
        do {
            let answer = try await requester.ask(request, limit: plan.requestLimit)
            let latency = ContinuousClock.now - due
            let code = ReplyScan.errorCode(in: answer.body) ?? (answer.isGood ? nil : "STATUS_\(answer.status)")
            tally.update {
                $0.latencies.record(latency)
                $0.retried += answer.attempts - 1
                if let code {
                    $0.failed += count
                    $0.errors.note(code, count: count)
                }
            }
            guard code != nil else { return .good(answer) }
            // The service may have failed after the commit, and any of several items in a successful answer may have
            // failed. Only the record itself shows the outcome.
            return answer.status >= 500 || (answer.isGood && count > 1) ? .unknown(wasAnswered: true) : .refused
        } catch {
            tally.update {
                $0.failed += count
                $0.errors.note(error.code, count: count)
            }
            return .unknown(wasAnswered: false)
        }
    }
}

/// Returns the last `digits` hexadecimal digits of `number`, with leading zeros.
private func hexadecimal(_ number: UInt64, digits: Int) -> String {
    String(unsafeUninitializedCapacity: digits) { bytes in
        for position in 0..<digits {
            let nibble = UInt8(truncatingIfNeeded: number >> UInt64(4 * (digits - 1 - position))) & 15
            bytes[position] = nibble < 10 ? 0x30 + nibble : 0x57 + nibble
        }
        return digits
    }
}
