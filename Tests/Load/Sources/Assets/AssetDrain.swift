import CloudKitWire
import CommandLineSession
import ServiceMessages

/// Deletes all records at the end of an asset load, and waits until their contents have been deleted from the store.
struct AssetDrain: Sendable {
    private static let pause: Duration = .milliseconds(500)

    let plan: AssetLoadPlan
    let producers: [any Requester]
    /// The container that stores the contents.
    let container: String
    let progress: @Sendable (String) -> Void

    /// Deletes the records and waits.
    ///
    /// - Parameters:
    ///   - counts: the number of records of each slot.
    ///   - limit: the maximum wait after the last deletion.
    /// - Returns: the number of records that could not be deleted, plus the number of contents that still exist or
    ///   whose state is unknown.
    func run(_ counts: [Int], _ contents: AssetContents, within limit: Duration) async -> Int {
        let undeleted = await LoadSlots.run(plan.slots) { [progress] in
            progress("deleting the records")
        } _: { slot in
            await delete(counts[slot], of: slot)
        }
        let end = ContinuousClock.now + limit
        let left = Tally(contents.count)
        let remaining = await LoadSlots.run(plan.slots) { [progress] in
            progress("\(left.now.grouped) contents exist or are not checked yet")
        } _: { slot in
            var remaining = 0
            for number in stride(from: slot, to: contents.count, by: plan.slots) {
                if await isGone(contents.bytes(of: number).checksum, slot, before: end) {
                    left.update { $0 -= 1 }
                } else {
                    remaining += 1
                }
            }
            return remaining
        }
        return remaining.reduce(0, +) + undeleted.reduce(0, +)
    }

    /// Deletes the records of a slot. Returns the number of records that could not be deleted.
    private func delete(_ count: Int, of slot: Int) async -> Int {
        var failed = 0
        for record in 0..<count {
            let place = plan.place(ofRecord: record, slot: slot)
            let body: JSONValue = [
                "zoneID": ["zoneName": .string(place.zone)],
                "operations": [
                    ["operationType": "forceDelete", "record": ["recordName": .string(place.recordName)]]
                ],
            ]
            let answer = try? await requester(slot).ask(.recordsModify, body, limit: plan.requestLimit)
            let code = answer?["records"]?[0]?["serverErrorCode"]?.string
            if answer == nil || code != nil && code != "NOT_FOUND" { failed += 1 }
        }
        return failed
    }

    private func isGone(_ checksum: AssetChecksum, _ slot: Int, before end: ContinuousClock.Instant) async -> Bool {
        while true {
            do throws(RequestFailure) {
                _ = try await requester(slot).assetStatus(of: checksum, container: container)
            } catch {
                if case .refused(let refusal) = error, refusal.code == "NOT_FOUND" { return true }
            }
            guard ContinuousClock.now < end else { return false }
            guard (try? await ContinuousClock().sleep(for: Self.pause)) != nil else { return false }
        }
    }

    private func requester(_ slot: Int) -> any Requester { producers[slot / plan.inFlight] }
}
