import Testing

@testable import PostgresClient

@Suite("Timestamps")
struct PostgresTimestampTests {
    @Test(
        arguments: [
            (946_684_800_000, 0), (0, -946_684_800_000_000), (946_684_800_001, 1000), (-1, -946_684_800_001_000),
        ] as [(Int64, Int64)])
    func `Milliseconds since 1970 become microseconds since 2000 and back`(milliseconds: Int64, microseconds: Int64) {
        #expect(PostgresTimestamp.microseconds(fromMilliseconds: milliseconds) == microseconds)
        #expect(PostgresTimestamp.milliseconds(fromMicroseconds: microseconds) == milliseconds)
    }

    @Test func `Fractions of a millisecond are rounded down on both sides of the epoch`() {
        #expect(PostgresTimestamp.milliseconds(fromMicroseconds: 1999) == 946_684_800_001)
        #expect(PostgresTimestamp.milliseconds(fromMicroseconds: -1) == 946_684_799_999)
    }

    @Test(arguments: [Int64.max, .max - 1, .min, .min + 1])
    func `Times out of range become ones the server refuses, never infinity`(milliseconds: Int64) {
        let microseconds = PostgresTimestamp.microseconds(fromMilliseconds: milliseconds)
        #expect(microseconds == (milliseconds > 0 ? .max - 1 : .min + 1))
    }

    @Test func `Infinity reads as the end of the range`() {
        #expect(PostgresTimestamp.milliseconds(fromMicroseconds: .max) == .max)
        #expect(PostgresTimestamp.milliseconds(fromMicroseconds: .min) == .min)
    }
}
