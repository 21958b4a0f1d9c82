import CloudKitWire
import ServiceLimits
import Testing

@Suite struct ComparisonTests {
    @Test func aRatioIsMadeWithinARunAndAgainstItsLowestLimit() throws {
        let rows = try Comparison.all(
            of: measurements([
                "1\tsaves\treached\tZonda\t50", "1\tsaves\tlimit\tbroker\t100", "1\tsaves\tlimit\tdatabase\t200",
                // The whole machine is half as fast, and the other limit is the lower one.
                "2\tsaves\treached\tZonda\t20", "2\tsaves\tlimit\tbroker\t60", "2\tsaves\tlimit\tdatabase\t50",
                "3\tsaves\treached\tZonda\t60", "3\tsaves\tlimit\tbroker\t100", "3\tsaves\tlimit\tdatabase\t200",
            ]))
        let row = try #require(rows.first)
        #expect(rows.count == 1)
        #expect(row.ratio.values == [0.5, 0.4, 0.6])
        #expect(row.ratio.median == 0.5)
        #expect(row.ratio.least == 0.4)
        #expect(row.ratio.greatest == 0.6)
        #expect(row.lowestLimit == "broker")
        #expect(row.reached.median == 50)
    }

    @Test func aRunThatLacksALimitGivesNoRatio() throws {
        let rows = try Comparison.all(
            of: measurements([
                "1\tsaves\treached\tZonda\t50", "1\tsaves\tlimit\tbroker\t100", "1\tsaves\tlimit\tdatabase\t200",
                "2\tsaves\treached\tZonda\t50", "2\tsaves\tlimit\tdatabase\t200",
            ]))
        #expect(rows[0].ratio.values == [0.5])
    }

    @Test func theMedianOfAnEvenNumberIsTheMeanOfTheMiddleTwo() throws {
        let rows = try Comparison.all(
            of: measurements((1...4).map { "\($0)\tsaves\treached\tZonda\t\($0 * 10)" }))
        #expect(rows[0].reached.median == 25)
        #expect(rows[0].ratio.median == 0)
    }

    @Test func rowsKeepTheirOrderAndTheirOwnLimits() throws {
        let rows = try Comparison.all(
            of: measurements([
                "1\tsaves\treached\tZonda\t12345", "1\tsaves\tlimit\tbroker\t20000", "1\tsaves\tfact\tbatch\t97.25",
                "1\treads\treached\tZonda\t300", "1\treads\tlimit\tdatabase\t400",
            ]))
        #expect(rows.map(\.row) == ["saves", "reads"])
        #expect(
            ComparisonTable(rows).lines == [
                "a second   Zonda  broker  database  of the lowest  least to greatest",
                "saves     12,345  20,000                     62 %       62 % to 62 %",
                "reads        300               400           75 %       75 % to 75 %",
                "saves: batch 97.3",
            ])
    }

    @Test func theFileHasEveryValue() throws {
        let rows = try Comparison.all(
            of: measurements(["1\tsaves\treached\tZonda\t50", "1\tsaves\tlimit\tbroker\t100"]))
        let json = ComparisonTable(rows).json(settings: [("runs", "1")])
        #expect(json["settings"]?["runs"]?.string == "1")
        #expect(json["rows"]?[0]?["limits"]?["broker"]?["runs"]?[0]?.double == 100)
        #expect(json["rows"]?[0]?["ratio"]?["median"]?.double == 0.5)
    }

    @Test(arguments: ["", "1\tsaves\treached\tZonda", "1\tsaves\tguessed\tZonda\t5", "1\tsaves\tlimit\tZonda\tnan"])
    func aLineThatIsNoMeasurementIsRefused(line: String) {
        #expect(throws: LimitFailure.self) { try Measurement(line: line) }
    }

    private func measurements(_ lines: [String]) throws -> [Measurement] { try lines.map { try Measurement(line: $0) } }
}
