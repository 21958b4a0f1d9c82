package import CloudKitWire

/// An error that a command prints to standard error: as JSON with `--json`, otherwise as text.
package protocol ReportableError: Error {
    /// The error as an object.
    var json: JSONValue { get }
    /// The error as text.
    var line: String { get }
}

extension ReportableError {
    /// The error's description, preceded by the program's name.
    package var line: String { "zonda: \(self)" }
}
