import Testing

@testable import PostgresClient

struct ParameterBufferTests {
    /// Returns the parameters as libpq would see them: the bytes of each, or nil for NULL.
    private func values(_ buffer: ParameterBuffer) -> [[UInt8]?] {
        buffer.withPointers { count, values, lengths, formats in
            (0..<Int(count)).map { index in
                #expect(formats?[index] == 1)
                guard let start = values?[index], let length = lengths?[index] else { return nil }
                return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(length)))
            }
        }
    }

    @Test func valuesFollowEachOtherInNetworkOrder() {
        var buffer = ParameterBuffer()
        buffer.fill([.int2(258), .text("ab"), .bool(true), .jsonb([0x31]), .xid8(1), .float8(nil)])
        #expect(values(buffer) == [[1, 2], [0x61, 0x62], [1], [1, 0x31], [0, 0, 0, 0, 0, 0, 0, 1], nil])
    }

    @Test func anEmptyValueIsNotNull() {
        var buffer = ParameterBuffer()
        buffer.fill([.text(""), .bytea([]), .text(nil)])
        #expect(values(buffer) == [[], [], nil])
    }

    @Test func theBufferStartsAnewWithEachCall() {
        var buffer = ParameterBuffer()
        buffer.fill([.text(String(repeating: "x", count: 3 << 20)), .int4(1)])
        buffer.fill([.int4(7)])
        #expect(values(buffer) == [[0, 0, 0, 7]])
        buffer.fill([])
        #expect(values(buffer).isEmpty)
    }
}
