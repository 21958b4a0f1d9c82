import Testing

@testable import PostgresClient

struct PostgresTimestampTests {
    @Test(
        arguments: [
            (946_684_800_000, 0), (0, -946_684_800_000_000), (946_684_800_001, 1000), (-1, -946_684_800_001_000),
        ] as [(Int64, Int64)])
    func millisecondsSince1970BecomeMicrosecondsSince2000AndBack(milliseconds: Int64, microseconds: Int64) {
        #expect(PostgresTimestamp.microseconds(fromMilliseconds: milliseconds) == microseconds)
        #expect(PostgresTimestamp.milliseconds(fromMicroseconds: microseconds) == milliseconds)
    }

    @Test func fractionsOfAMillisecondAreRoundedDownOnBothSidesOfTheEpoch() {
        #expect(PostgresTimestamp.milliseconds(fromMicroseconds: 1999) == 946_684_800_001)
        #expect(PostgresTimestamp.milliseconds(fromMicroseconds: -1) == 946_684_799_999)
    }

    @Test(arguments: [Int64.max, .max - 1, .min, .min + 1])
    func timesOutOfRangeBecomeTimesThatTheServerRefusesAndNeverInfinity(milliseconds: Int64) {
        let microseconds = PostgresTimestamp.microseconds(fromMilliseconds: milliseconds)
        #expect(microseconds == (milliseconds > 0 ? .max - 1 : .min + 1))
    }

    @Test func infinityReadsAsTheEndOfTheRange() {
        #expect(PostgresTimestamp.milliseconds(fromMicroseconds: .max) == .max)
        #expect(PostgresTimestamp.milliseconds(fromMicroseconds: .min) == .min)
    }
}
