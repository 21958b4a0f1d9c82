import CloudKitSchema
import CloudKitWire
import CommandLineSession

/// A text that is no schema, told as compilers tell it, so that editors find the place.
struct SchemaFault: ReportableError, Equatable, CustomStringConvertible {
    /// The file's path.
    var name: String
    /// What is wrong with it, and where.
    var error: SchemaError

    /// `FILE:LINE:COLUMN: message`.
    var description: String { "\(name):\(error.line):\(error.column): \(error.message)" }

    var line: String { description }

    /// The same with a key for each part.
    var json: JSONValue {
        [
            "file": .string(name), "line": .int(Int64(error.line)), "column": .int(Int64(error.column)),
            "reason": .string(error.message),
        ]
    }
}
