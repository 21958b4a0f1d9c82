import TestGenerators
import Testing

@testable import CommandLine
@testable import CommandLineSession

@Suite struct ImportGateTests {
    private func line(
        _ number: Int, _ name: String?, size: Int = 10, zone: String = "Z", isDelete: Bool = false
    ) -> ImportLine {
        ImportLine(
            number: number, bytes: Array(repeating: 0x20, count: size), zone: zone, recordName: name,
            isDelete: isDelete)
    }

    @Test func aSecondLineOfANameWaitsUntilTheFirstIsFinished() {
        var gate = ImportGate()
        for (number, name) in ["a", "a", "b"].enumerated() { gate.offer(line(number, name)) }
        let first = gate.take(10, maxBytes: 1000)
        #expect(first.map(\.number) == [0, 2])
        #expect(gate.take(10, maxBytes: 1000).isEmpty)
        #expect(gate.heldCount == 1)
        gate.finish(first[1])
        #expect(gate.take(10, maxBytes: 1000).isEmpty)
        gate.finish(first[0])
        #expect(gate.take(10, maxBytes: 1000).map(\.number) == [1])
        #expect(gate.heldCount == 0)
    }

    @Test func linesOfOneNameComeInTheOrderOfTheFileAndNeverTwoAtATime() {
        var random = SeededGenerator(seed: 7)
        var gate = ImportGate()
        var flights: [[ImportLine]] = []
        var lastTaken: [String: Int] = [:]
        var offered = 0
        var taken = 0
        while taken < 2000 {
            switch Int.random(in: 0..<3, using: &random) {
            case 0 where offered < 2000:
                gate.offer(line(offered, "name\(Int.random(in: 0..<12, using: &random))"))
                offered += 1
            case 1:
                let batch = gate.take(Int.random(in: 1...5, using: &random), maxBytes: 1000)
                for line in batch {
                    let name = line.recordName ?? ""
                    #expect(!flights.joined().contains { $0.recordName == name })
                    #expect(lastTaken[name, default: -1] < line.number)
                    lastTaken[name] = line.number
                }
                #expect(Set(batch.map(\.recordName)).count == batch.count)
                taken += batch.count
                if !batch.isEmpty { flights.append(batch) }
            default:
                guard let index = flights.indices.randomElement(using: &random) else { continue }
                for line in flights.remove(at: index) { gate.finish(line) }
            }
        }
        #expect(gate.heldCount == 0)
    }

    @Test func linesWithoutANameNeverWaitForEachOther() {
        var gate = ImportGate()
        for number in 0..<3 { gate.offer(line(number, nil)) }
        #expect(gate.take(10, maxBytes: 1000).count == 3)
    }

    @Test func aBatchEndsBeforeItsBytesExceedTheLimitButHasALine() {
        var gate = ImportGate()
        for number in 0..<4 { gate.offer(line(number, "n\(number)", size: 60)) }
        #expect(gate.take(10, maxBytes: 130).count == 2)
        #expect(gate.take(10, maxBytes: 10).count == 1)
    }

    @Test func aBatchHasLinesOfOneZoneAndTheZonesTakeTurns() {
        var gate = ImportGate()
        for (number, (zone, name)) in [("A", "a"), ("B", "a"), ("A", "b"), ("A", "c"), ("B", "b")].enumerated() {
            gate.offer(line(number, name, zone: zone))
        }
        let batches = (0..<3).map { _ in gate.take(2, maxBytes: 1000).map(\.number) }
        #expect(batches == [[0, 2], [1, 4], [3]])
    }

    @Test func aDeletionWaitsForTheSavesBeforeItAndDelaysThoseAfterIt() {
        var gate = ImportGate()
        gate.offer(line(0, "a"))
        let deletion = line(1, "b", isDelete: true)
        #expect(!gate.admits(deletion))
        let save = gate.take(10, maxBytes: 1000)
        #expect(!gate.admits(deletion))
        gate.finish(save[0])
        #expect(gate.admits(deletion))
        gate.offer(deletion)
        #expect(gate.admits(line(2, "c", isDelete: true)) && !gate.admits(line(3, "d")))
    }

    @Test func aPostponedLineTakesThoseBehindItAlongAndFreesTheRecord() {
        var gate = ImportGate()
        for number in 0..<3 { gate.offer(line(number, "a")) }
        let first = gate.take(10, maxBytes: 1000)
        #expect(gate.withdraw(behind: first[0]).map(\.number) == [1, 2])
        #expect(gate.heldCount == 0 && gate.admits(line(3, "b", isDelete: true)))
    }
}
