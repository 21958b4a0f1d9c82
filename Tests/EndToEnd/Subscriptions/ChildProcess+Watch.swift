import CloudKitWire
import TestSupport

extension ChildProcess {
    /// Waits until it has written a word on standard error.
    func hasSaid(_ word: String) async throws {
        _ = try await eventually("'\(word)' on standard error") { errorText.contains(word) ? true : nil }
    }

    /// The records that the notifications printed tell of.
    var recordNames: [String] { get throws { try outputText.recordNames } }
}

extension String {
    /// The records that notifications, one a line, tell of.
    var recordNames: [String] {
        get throws {
            try split(separator: "\n").flatMap { line in
                let json = try JSONValue(parsing: String(line))
                return (json["records"]?.array ?? []).compactMap { $0["recordName"]?.string }
            }
        }
    }
}
