import Foundation
import PostgresClient
import Testing

extension PostgresTests {
    struct ValueTests {
        @Test func everyScalarComesBackUnchangedAlsoAtTheEndsOfItsRange() async throws {
            let uuid = UUID()
            let json = Array(#"{"a": [1, "\u00fc"]}"#.utf8)
            try await withDatabase { pool in
                let row = try await pool.query(
                    "select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12::text, $13::int8",
                    [
                        .text("Zoë \u{1F30A}"), .int2(.min), .int4(.max), .int8(.min), .float8(.leastNonzeroMagnitude),
                        .bool(true),
                        .bytea([0, 255, 39, 92]), .jsonb(json), .uuid(uuid),
                        .timestamptz(millisecondsSince1970: 1_700_000_000_123), .xid8(.max), .text(""), .int8(.max),
                    ])[0]
                #expect(row.string(0) == "Zoë \u{1F30A}")
                #expect(row.int16(1) == .min)
                #expect(row.int32(2) == .max)
                #expect(row.int64(3) == .min)
                #expect(row.double(4) == .leastNonzeroMagnitude)
                #expect(row.bool(5))
                #expect(row.bytes(6) == [0, 255, 39, 92])
                #expect(String(decoding: row.jsonb(7), as: UTF8.self) == #"{"a": [1, "ü"]}"#)
                #expect(row.uuid(8) == uuid)
                #expect(row.milliseconds(9) == 1_700_000_000_123)
                #expect(row.xid8(10) == .max)
                #expect(row.string(11).isEmpty)
                #expect(row.int64(12) == .max)
                #expect(row.withBytes(6) { $0.count } == 4)
                #expect(row.columnCount == 13)
            }
        }

        @Test func theServerUnderstandsTheValuesThatWereSent() async throws {
            try await withDatabase { pool in
                let row = try await pool.query(
                    """
                    select $1 = -2, $2 = '2023-11-14 22:13:20.123+00', $3->>'a' = 'b', $4 = '\\x00ff', $5 = array[1, null, -3],
                        $6 = array['a', null, ''], $7 = 'NaN', $8 = '{}'
                    """,
                    [
                        .int8(-2), .timestamptz(millisecondsSince1970: 1_700_000_000_123),
                        .jsonb(Array(#"{"a":"b"}"#.utf8)),
                        .bytea([0, 255]), .int4Array([1, nil, -3]), .textArray(["a", nil, ""]), .float8(.nan),
                        .int8Array([]),
                    ])[0]
                for column in 0..<8 { #expect(row.bool(column), "column \(column)") }
            }
        }

        @Test func nullOfEveryTypeIsNull() async throws {
            let parameters: [PostgresParameter] = [
                .text(nil), .int2(nil), .int4(nil), .int8(nil), .float8(nil), .bool(nil), .bytea(nil), .jsonb(nil),
                .uuid(nil), .timestamptz(millisecondsSince1970: nil), .xid8(nil),
            ]
            try await withDatabase { pool in
                let row = try await pool.query("select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11", parameters)[0]
                for column in 0..<parameters.count { #expect(row.isNull(column)) }
                #expect(row.stringIfPresent(0) == nil)
                #expect(row.int16IfPresent(1) == nil)
                #expect(row.int32IfPresent(2) == nil)
                #expect(row.int64IfPresent(3) == nil)
                #expect(row.doubleIfPresent(4) == nil)
                #expect(row.boolIfPresent(5) == nil)
                #expect(row.bytesIfPresent(6) == nil)
                #expect(row.jsonbIfPresent(7) == nil)
                #expect(row.uuidIfPresent(8) == nil)
                #expect(row.millisecondsIfPresent(9) == nil)
                #expect(row.xid8IfPresent(10) == nil)
            }
        }

        @Test func everyArrayComesBackUnchangedAlsoWhenEmpty() async throws {
            let uuids = [UUID(), UUID()]
            try await withDatabase { pool in
                let row = try await pool.query(
                    "select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11",
                    [
                        .textArray(["a", "", "ü"]), .int2Array([1, -1]), .int4Array([2]), .int8Array([.min, .max]),
                        .boolArray([true, false]), .float8Array([0.1, -.infinity]), .byteaArray([[], [1, 2]]),
                        .jsonbArray([Array("1".utf8), Array("null".utf8)]), .uuidArray(uuids),
                        .timestamptzArray([-1, 0, 1_700_000_000_000]), .textArray([]),
                    ])[0]
                #expect(row.textArray(0) == ["a", "", "ü"])
                #expect(row.int16Array(1) == [1, -1])
                #expect(row.int32Array(2) == [2])
                #expect(row.int64Array(3) == [.min, .max])
                #expect(row.boolArray(4) == [true, false])
                #expect(row.doubleArray(5) == [0.1, -.infinity])
                #expect(row.bytesArray(6) == [[], [1, 2]])
                #expect(row.jsonbArray(7) == [Array("1".utf8), Array("null".utf8)])
                #expect(row.uuidArray(8) == uuids)
                #expect(row.millisecondsArray(9) == [-1, 0, 1_700_000_000_000])
                #expect(row.textArray(10).isEmpty)
            }
        }

        @Test func columnsOfNullsAndValuesAreUnnestedIntoRows() async throws {
            try await withDatabase { pool in
                let rows = try await pool.query(
                    "select * from unnest($1, $2, $3, $4) as t(a, b, c, d)",
                    [
                        .int8Array([1, nil, 3]), .textArray([nil, "b", ""]), .jsonbArray([nil, Array("{}".utf8), nil]),
                        .byteaArray([[7], [], nil]),
                    ])
                #expect(rows.count == 3)
                #expect(rows.affectedRows == 3)
                #expect(rows.columnNames == ["a", "b", "c", "d"])
                #expect(rows.map { $0.int64IfPresent(0) } == [1, nil, 3])
                #expect(rows.map { $0.stringIfPresent(1) } == [nil, "b", ""])
                #expect(rows.map { $0.jsonbIfPresent(2) } == [nil, Array("{}".utf8), nil])
                #expect(rows.map { $0.bytesIfPresent(3) } == [[7], [], nil])
            }
        }

        @Test func valuesOfAMegabyteAreWhole() async throws {
            let bytes = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            let text = String(repeating: "ü", count: 1 << 19)
            try await withDatabase { pool in
                let row = try await pool.query(
                    "select $1, $2, $3", [.bytea(bytes), .text(text), .byteaArray([bytes, bytes])])[0]
                #expect(row.bytes(0) == bytes)
                #expect(row.string(1) == text)
                #expect(row.bytesArray(2) == [bytes, bytes])
            }
        }

        @Test func aTimeTheServerCannotHoldIsRefused() async throws {
            try await withDatabase { pool in
                for time in [Int64.max, .min] {
                    let error = await #expect(throws: PostgresError.self) {
                        try await pool.query("select $1", [.timestamptz(millisecondsSince1970: time)])
                    }
                    #expect(error?.sqlState == .datetimeFieldOverflow)
                }
            }
        }

        @Test func namesAndVarcharsReadAsStringsAndInfinityAsTheEndOfTime() async throws {
            try await withDatabase { pool in
                let row = try await pool.query(
                    "select 'n'::name, 'v'::varchar, 'b'::char(3), timestamptz 'infinity', '[1]'::json"
                )[0]
                #expect(row.string(0) == "n")
                #expect(row.string(1) == "v")
                #expect(row.string(2) == "b  ")
                #expect(row.milliseconds(3) == .max)
                #expect(row.jsonb(4) == Array("[1]".utf8))
            }
        }
    }
}
