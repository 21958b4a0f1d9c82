import Foundation
import Logging
import Testing

@testable import ServiceRuntime

/// A line of the log as JSON.
@Suite struct JSONLogLineTests {
    @Test func lineHasTheTimeTheLevelAndTheMessage() {
        let line = JSONLogLine(
            milliseconds: 1_795_255_200_123, level: .warning, label: "zonda.record", message: "it is so",
            metadata: [:])
        #expect(
            String(decoding: line.bytes, as: UTF8.self)
                == #"{"at":"2026-11-21T10:00:00.123Z","level":"warning","logger":"zonda.record","message":"it is so"}"#
                + "\n")
    }

    @Test func requestAndTraceStandBesideTheOtherMetadata() throws {
        let line = try Self.parsed(
            "m", ["request": "r1", "trace": "t1", "count": "3", "list": ["a", "b"], "nested": ["deep": ["er": "x"]]])
        #expect(line["request"] as? String == "r1")
        #expect(line["trace"] as? String == "t1")
        let metadata = try #require(line["metadata"] as? [String: Any])
        #expect(metadata.keys.sorted() == ["count", "list", "nested"])
        #expect(metadata["list"] as? [String] == ["a", "b"])
        #expect((metadata["nested"] as? [String: [String: String]])?["deep"]?["er"] == "x")
    }

    @Test(arguments: [
        "two\nlines\r\n", "a \"quoted\" \\ backslash", "tab\tbell\u{7}nul\u{0}del\u{7F}esc\u{1B}[31m", "Größe 日本 🙂", "",
        "\u{2028}",
    ])
    func textComesBackAsItWasInOneLine(_ text: String) throws {
        let line = try Self.parsed(text, ["key": "\(text)", text: "value"])
        #expect(line["message"] as? String == text)
        #expect(line["metadata"] as? [String: String] == ["key": text, text: "value"])
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (951_868_799_999, "2000-02-29T23:59:59.999Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (1_709_164_800_001, "2024-02-29T00:00:00.001Z"), (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        ] as [(Int64, String)])
    func timeIsThatOfTheCalendar(milliseconds: Int64, text: String) {
        #expect(UTCTime(milliseconds: milliseconds).description == text)
    }

    private static func parsed(_ message: String, _ metadata: Logger.Metadata) throws -> [String: Any] {
        let bytes = JSONLogLine(milliseconds: 0, level: .info, label: "l", message: message, metadata: metadata).bytes
        #expect(bytes.last == UInt8(ascii: "\n"))
        #expect(!bytes.dropLast().contains { $0 < 0x20 })
        return try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    }
}
