import CloudKitModel
import CloudKitWire

/// Turns the lines of a file into operations for the gate; empty lines are passed over.
struct ImportSource: Sendable {
    private var number = 0
    /// Whether the file has been read to its end.
    private(set) var isAtEnd = false

    /// Reads the next line and offers it to `gate`. A line that is no operation goes to `reject` instead.
    ///
    /// - Throws: a fault of the file, and what `reject` throws.
    mutating func offerNext(
        from lines: inout LineReader, to gate: inout ImportGate,
        reject: (ImportLine, RequestFailure) throws -> Void
    ) async throws {
        guard let bytes = try await lines.next() else {
            isAtEnd = true
            return
        }
        number += 1
        guard bytes.contains(where: { $0 > 0x20 }) else { return }
        var line = ImportLine(number: number, bytes: bytes, recordName: nil)
        do throws(RequestFailure) {
            line.recordName = try Self.recordName(of: bytes)
            gate.offer(line)
        } catch {
            try reject(line, error)
        }
    }

    /// The name of the record that the operation `bytes` is about, if it has one.
    ///
    /// - Throws: `.refused` when the bytes are no operation.
    static func recordName(of bytes: [UInt8]) throws(RequestFailure) -> String? {
        let json: JSONValue
        do {
            json = try JSONValue(parsing: bytes)
        } catch {
            throw .refused(RequestFailure.Refusal(code: error.code.rawValue, reason: error.reason))
        }
        guard json["operationType"]?.string != nil, json["record"]?.members != nil else {
            throw .refused(
                RequestFailure.Refusal(
                    code: "BAD_REQUEST",
                    reason: #"a line is one operation: {"operationType":"forceReplace","record":{…}}"#))
        }
        return json["record"]?["recordName"]?.string
    }
}
