import CloudKitWire
import TestSupport

extension ChildProcess {
    /// Waits until the program has written a word to standard error.
    func hasSaid(_ word: String) async throws {
        _ = try await eventually("'\(word)' on standard error") { errorText.contains(word) ? true : nil }
    }

    /// The names of the records in the printed notifications.
    var recordNames: [String] { get throws { try outputText.recordNames } }
}

extension String {
    /// The names of the records in notifications, one notification per line.
    var recordNames: [String] {
        get throws {
            try split(separator: "\n").flatMap { line in
                let json = try JSONValue(parsing: String(line))
                return (json["records"]?.array ?? []).compactMap { $0["recordName"]?.string }
            }
        }
    }
}
