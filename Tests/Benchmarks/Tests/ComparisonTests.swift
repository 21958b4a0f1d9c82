import CloudKitWire
import ServiceLimits
import Testing

@Suite struct ComparisonTests {
    @Test func aRatioIsMadeWithinARunAndAgainstItsLowestLimit() throws {
        let rows = try Comparison.all(
            of: measurements([
                "1\tsaves\ta second\treached\tZonda\t50", "1\tsaves\ta second\tlimit\tbroker\t100",
                "1\tsaves\ta second\tlimit\tdatabase\t200",
                // In the second run, the machine is half as fast, and the other limit is the lower one.
                "2\tsaves\ta second\treached\tZonda\t20", "2\tsaves\ta second\tlimit\tbroker\t60",
                "2\tsaves\ta second\tlimit\tdatabase\t50",
                "3\tsaves\ta second\treached\tZonda\t60", "3\tsaves\ta second\tlimit\tbroker\t100",
                "3\tsaves\ta second\tlimit\tdatabase\t200",
            ]))
        let row = try #require(rows.first)
        #expect(rows.count == 1)
        #expect(row.ratio.values == [0.5, 0.4, 0.6])
        #expect(row.ratio.median == 0.5)
        #expect(row.ratio.least == 0.4)
        #expect(row.ratio.greatest == 0.6)
        #expect(row.bindingLimit == "broker")
        #expect(row.reached.median == 50)
    }

    @Test func aRunThatLacksALimitGivesNoRatio() throws {
        let rows = try Comparison.all(
            of: measurements([
                "1\tsaves\ta second\treached\tZonda\t50", "1\tsaves\ta second\tlimit\tbroker\t100",
                "1\tsaves\ta second\tlimit\tdatabase\t200",
                "2\tsaves\ta second\treached\tZonda\t50", "2\tsaves\ta second\tlimit\tdatabase\t200",
            ]))
        #expect(rows[0].ratio.values == [0.5])
    }

    @Test func theMedianOfAnEvenNumberIsTheMeanOfTheMiddleTwo() throws {
        let rows = try Comparison.all(
            of: measurements((1...4).map { "\($0)\tsaves\ta second\treached\tZonda\t\($0 * 10)" }))
        #expect(rows[0].reached.median == 25)
        #expect(rows[0].ratio.median == 0)
    }

    @Test func rowsKeepTheirOrderAndTheirOwnLimits() throws {
        let rows = try Comparison.all(
            of: measurements([
                "1\tsaves\ta second\treached\tZonda\t12345", "1\tsaves\ta second\tlimit\tbroker\t20000",
                "1\tsaves\ta second\tfact\tbatch\t97.25",
                "1\treads\ta second\treached\tZonda\t300", "1\treads\ta second\tlimit\tdatabase\t400",
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
            of: measurements(["1\tsaves\ta second\treached\tZonda\t50", "1\tsaves\ta second\tlimit\tbroker\t100"]))
        let json = ComparisonTable(rows).json(settings: [("runs", "1")])
        #expect(json["settings"]?["runs"]?.string == "1")
        #expect(json["rows"]?[0]?["limits"]?["broker"]?["runs"]?[0]?.double == 100)
        #expect(json["rows"]?[0]?["ratio"]?["median"]?.double == 0.5)
    }

    @Test func aTimeIsComparedWithItsLongestLimit() throws {
        let rows = try Comparison.all(
            of: measurements([
                "1\tp50\tms\treached\tZonda\t6", "1\tp50\tms\tlimit\tbroker\t2", "1\tp50\tms\tlimit\tdisk\t1",
                "2\tp50\tms\treached\tZonda\t10", "2\tp50\tms\tlimit\tbroker\t2", "2\tp50\tms\tlimit\tdisk\t4",
            ]))
        #expect(rows[0].ratio.values == [3, 2.5])
        #expect(rows[0].bindingLimit == "disk")
    }

    @Test func eachUnitHasItsOwnTableAndLimits() throws {
        let rows = try Comparison.all(
            of: measurements([
                "1\tnotify\tms\treached\tZonda\t6.125", "1\tnotify\tms\tlimit\tbroker\t2.5",
                "1\tupload\tMB/s\treached\tZonda\t210", "1\tupload\tMB/s\tlimit\tdisk\t420",
                "1\tsaves\ta second\treached\tZonda\t12345", "1\tsaves\ta second\tlimit\tbroker\t24690",
                "1\tnotify\tms\tfact\toperations a second\t50",
            ]))
        #expect(
            ComparisonTable(rows).lines == [
                "a second   Zonda  broker  of the lowest  least to greatest",
                "saves     12,345  24,690           50 %       50 % to 50 %",
                "",
                "MB/s    Zonda  disk  of the lowest  least to greatest",
                "upload    210   420           50 %       50 % to 50 %",
                "",
                "ms      Zonda  broker  times the limit  least to greatest",
                "notify   6.13     2.5             2.45       2.45 to 2.45",
                "notify: operations a second 50.0",
            ])
    }

    @Test(arguments: [
        "", "1\tsaves\ta second\treached\tZonda", "1\tsaves\tan hour\treached\tZonda\t5",
        "1\tsaves\ta second\tguessed\tZonda\t5", "1\tsaves\ta second\tlimit\tZonda\tnan",
    ])
    func aLineThatIsNoMeasurementIsRefused(line: String) {
        #expect(throws: LimitFailure.self) { try Measurement(line: line) }
    }

    private func measurements(_ lines: [String]) throws -> [Measurement] { try lines.map { try Measurement(line: $0) } }
}
