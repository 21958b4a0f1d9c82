import Foundation
import Synchronization
import TestGenerators
import TestSupport
import Testing

@testable import CloudKit

/// Applications that are killed at any moment, on a network that loses answers, with tokens that expire.
@Suite(.timeLimit(.minutes(2))) struct SyncKillTests {
    private final class Chance: Sendable {
        private let generator: Mutex<SeededGenerator>
        init(_ seed: UInt64) { generator = Mutex(SeededGenerator(seed: seed)) }
        func number(below bound: Int) -> Int { generator.withLock { Int.random(in: 0..<bound, using: &$0) } }
        func isOneIn(_ bound: Int) -> Bool { number(below: bound) == 0 }
    }

    @Test("No change that a serialization contains is lost, whenever the process is killed", arguments: 1...40)
    func kills(_ number: Int) async throws {
        let seed = UInt64(number) &* 0x9E37_79B9_7F4A_7C15
        let chance = Chance(seed)
        let isCalm = Mutex(false)
        let server = SyncServer(pageSize: 1 + chance.number(below: 4)) { _, isAfter async throws(CKError) in
            guard !isCalm.withLock({ $0 }) else { return }
            if chance.isOneIn(isAfter ? 8 : 20) { throw CKError(isAfter ? .serverResponseLost : .networkFailure) }
        }
        var promised: [String: Set<String>] = [:]
        var disks = [SyncDevice.Disk(), SyncDevice.Disk()]
        for round in 0..<30 {
            let number = chance.number(below: 2)
            if chance.isOneIn(10) { server.expireTokens() }
            let life = Mutex(chance.isOneIn(4) ? Int.max : chance.number(below: 40))
            let edits = Mutex(0)
            let current = Mutex<CKSyncEngine?>(nil)
            let device = SyncDevice(disks[number]) { device in
                let isOver = life.withLock { life in
                    life -= 1
                    return life <= 0
                }
                if isOver { device.kill() }
                // The user writes while requests are on the way.
                guard chance.isOneIn(6), let engine = current.withLock({ $0 }) else { return }
                let edit = edits.withLock { edits in
                    edits += 1
                    return edits
                }
                device.edit("note\(chance.number(below: 4))", "\(number).\(round).\(edit)", engine)
            }
            let engine = try device.engine(server)
            current.withLock { $0 = engine }
            for step in 0..<4 {
                device.edit("note\(chance.number(below: 4))", "\(number).\(round).s\(step)", engine)
                if chance.isOneIn(2) { try? await engine.sendChanges() } else { try? await engine.fetchChanges() }
            }
            current.withLock { $0 = nil }
            device.kill()
            await engine.cancelOperations()
            #expect(device.state.withLock { $0.overlaps } == 0)
            disks[number] = device.disk
        }
        isCalm.withLock { $0 = true }
        for number in [0, 1, 0, 1] {
            let device = SyncDevice(disks[number])
            let engine = try device.engine(server)
            try await Self.settle(engine)
            disks[number] = device.disk
            #expect(engine.state.pendingRecordZoneChanges.isEmpty)
        }
        for disk in disks { promised.merge(disk.promised) { $0.union($1) } }
        for (note, tokens) in promised {
            let stored = Set(server.tokens(note) ?? [])
            #expect(tokens.subtracting(stored).isEmpty, "seed \(seed): \(note) lacks \(tokens.subtracting(stored))")
            for disk in disks {
                #expect(stored.isSubset(of: disk.notes[note]?.tokens ?? []), "seed \(seed): \(note) was not fetched")
            }
        }
    }

    /// Sends and fetches until nothing is pending.
    private static func settle(_ engine: CKSyncEngine) async throws {
        for _ in 0..<20 {
            do {
                try await engine.sendChanges()
                try await engine.fetchChanges()
                return
            } catch let error as CKError where error.code == .partialFailure {
                continue
            }
        }
        try await engine.sendChanges()
    }
}
