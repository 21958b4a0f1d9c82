import CloudKitModel
import CloudKitWire
import Testing

struct WireRoomTests {
    /// Writes an array of texts with the given lengths, each either complete or replaced by `0`.
    private func written(_ lengths: [Int], maxBytes: Int) -> (text: String, tries: Int) {
        var writer = WireWriter()
        writer.maxBytes = maxBytes
        var room = WireRoom(count: lengths.count, reserve: 2)
        var tries = 0
        writer.array(lengths) { writer, length in
            let isWritten = room.take(weight: length, in: &writer) { writer in
                tries += 1
                writer.string(String(repeating: "a", count: length))
                writer.errorMembers(.recordNotFound())
            }
            if !isWritten { writer.int(0) }
        }
        return (String(decoding: writer.bytes, as: UTF8.self), tries)
    }

    @Test func whatHasNoRoomIsTakenBackWithItsErrors() {
        var writer = WireWriter()
        writer.maxBytes = 20
        writer.beginArray()
        #expect(writer.attempt { $0.string("abc") })
        let isWritten = writer.attempt { writer in
            writer.itemError(.recordNotFound("a"))
        }
        #expect(!isWritten && writer.errorCodes.isEmpty)
        #expect(!writer.attempt(reserving: 13) { $0.int(1) })
        #expect(writer.attempt(reserving: 12) { $0.int(1) })
        writer.endArray()
        #expect(writer.bytes == Array(#"["abc",1]"#.utf8))
    }

    @Test func thereIsRoomForWhatStandsInThePlaceOfEachElement() {
        for maxBytes in [2100, 3000, 10_000] {
            let (text, _) = written([Int](repeating: 500, count: 1000), maxBytes: maxBytes)
            #expect(text.utf8.count <= maxBytes)
        }
    }

    @Test func whatIsWrittenInVainIsBounded() {
        #expect(written([Int](repeating: 1_000_000, count: 1000), maxBytes: 1_500_000).tries <= 3)
        #expect(written((0..<1000).map { 100_000 - $0 }, maxBytes: 50_000).tries == 0)
        let control = (0..<1000).map { 1000 + $0 }
        #expect(written(control, maxBytes: 4_000).tries <= 12)
    }
}
