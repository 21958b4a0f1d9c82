package import CloudKitWire

/// An error that a command prints on standard error: as JSON if results are, otherwise as a line.
package protocol ReportableError: Error {
    /// One object.
    var json: JSONValue { get }
    /// The same for a person.
    var line: String { get }
}

extension ReportableError {
    /// The error's description after the program's name.
    package var line: String { "zonda: \(self)" }
}
