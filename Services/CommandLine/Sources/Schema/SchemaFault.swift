import CloudKitSchema
import CloudKitWire
import CommandLineSession

/// An invalid schema. Its description has the format of compiler errors, so that editors can find the position.
struct SchemaFault: ReportableError, Equatable, CustomStringConvertible {
    /// The file's path.
    var name: String
    /// The error and its position.
    var error: SchemaError

    /// `FILE:LINE:COLUMN: message`.
    var description: String { "\(name):\(error.line):\(error.column): \(error.message)" }

    var line: String { description }

    /// The error as JSON.
    var json: JSONValue {
        [
            "file": .string(name), "line": .int(Int64(error.line)), "column": .int(Int64(error.column)),
            "reason": .string(error.message),
        ]
    }
}
