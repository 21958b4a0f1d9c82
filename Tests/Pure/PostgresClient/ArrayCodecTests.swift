import Foundation
import Testing

@testable import PostgresClient

struct ArrayCodecTests {
    /// Returns the bytes of an array parameter.
    private func bytes(_ parameter: PostgresParameter) throws -> [UInt8] {
        guard case .bytes(let bytes) = parameter.value else { throw NotAnArray() }
        return bytes
    }

    private struct NotAnArray: Error {}

    /// Returns the elements of an array parameter, as the reader decodes them.
    private func elements(_ parameter: PostgresParameter) throws -> [[UInt8]?] {
        try bytes(parameter).withUnsafeBytes { buffer in
            var reader = ArrayReader(buffer)
            var elements: [[UInt8]?] = []
            while let element = reader.next() { elements.append(element.map { [UInt8]($0) }) }
            #expect(elements.count == reader.count)
            return elements
        }
    }

    @Test func anArrayWithNullHasTheServersLayoutToTheByte() throws {
        let expected: [UInt8] =
            [0, 0, 0, 1] + [0, 0, 0, 1] + [0, 0, 0, 21] + [0, 0, 0, 2] + [0, 0, 0, 1]
            + [0, 0, 0, 2, 0x01, 0x02] + [0xFF, 0xFF, 0xFF, 0xFF]
        #expect(try bytes(.int2Array([0x0102, nil])) == expected)
        #expect(PostgresParameter.int2Array([]).type == .int2Array)
    }

    @Test func anEmptyArrayHasNoDimensions() throws {
        #expect(try bytes(.textArray([])) == [0, 0, 0, 0] + [0, 0, 0, 0] + [0, 0, 0, 25])
        #expect(try elements(.textArray([])) == [])
    }

    @Test func textsKeepTheirBytesAndEmptyOnesDifferFromNull() throws {
        let elements = try elements(.textArray(["", nil, "Zoë", "\u{1F30A}"]))
        #expect(elements == [[], nil, Array("Zoë".utf8), Array("\u{1F30A}".utf8)])
    }

    @Test func numbersAreInNetworkOrder() throws {
        #expect(try elements(.int8Array([-2])) == [[255, 255, 255, 255, 255, 255, 255, 254]])
        #expect(try elements(.int4Array([1, .min])) == [[0, 0, 0, 1], [0x80, 0, 0, 0]])
        #expect(try elements(.boolArray([true, false, nil])) == [[1], [0], nil])
        #expect(try elements(.float8Array([1])) == [[0x3F, 0xF0, 0, 0, 0, 0, 0, 0]])
    }

    @Test func jsonElementsCarryTheVersionByteOfJsonbAndByteStringsDoNot() throws {
        #expect(try elements(.jsonbArray([[0x7B, 0x7D], nil])) == [[1, 0x7B, 0x7D], nil])
        #expect(try elements(.byteaArray([[], [0], nil])) == [[], [0], nil])
    }

    @Test func uuidsAreSixteenBytes() throws {
        let uuid = try #require(UUID(uuidString: "00010203-0405-0607-0809-0A0B0C0D0E0F"))
        #expect(try elements(.uuidArray([uuid, nil])) == [Array(0...15), nil])
    }
}
