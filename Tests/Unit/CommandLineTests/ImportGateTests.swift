import Testing

@testable import CommandLine

@Suite struct ImportGateTests {
    private func line(_ number: Int, _ name: String?, size: Int = 10) -> ImportLine {
        ImportLine(number: number, bytes: Array(repeating: 0x20, count: size), recordName: name)
    }

    @Test("A second line of a name waits until the first is finished")
    func holdsName() {
        var gate = ImportGate()
        for (number, name) in ["a", "a", "b"].enumerated() { gate.offer(line(number, name)) }
        let first = gate.take(10, maxBytes: 1000)
        #expect(first.map(\.number) == [0, 2])
        #expect(gate.take(10, maxBytes: 1000).isEmpty)
        #expect(gate.heldCount == 1)
        gate.finish([first[1]])
        #expect(gate.take(10, maxBytes: 1000).isEmpty)
        gate.finish([first[0]])
        #expect(gate.take(10, maxBytes: 1000).map(\.number) == [1])
        #expect(gate.heldCount == 0)
    }

    @Test("Lines of one name come in the order of the file, never two at a time, whatever is taken when")
    func keepsOrder() {
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
                gate.finish(flights.remove(at: index))
            }
        }
        #expect(gate.heldCount == 0)
    }

    @Test("Lines without a name never wait for each other")
    func passesNameless() {
        var gate = ImportGate()
        for number in 0..<3 { gate.offer(line(number, nil)) }
        #expect(gate.take(10, maxBytes: 1000).count == 3)
    }

    @Test("A batch ends before its bytes exceed the limit, but has a line")
    func boundsBytes() {
        var gate = ImportGate()
        for number in 0..<4 { gate.offer(line(number, "n\(number)", size: 60)) }
        #expect(gate.take(10, maxBytes: 130).count == 2)
        #expect(gate.take(10, maxBytes: 10).count == 1)
    }
}
