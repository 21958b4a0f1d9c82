/// An error in a format. Its position is converted to a column only when the error is reported.
struct FormatFault: Error {
    var message: String
    var position: String.Index

    init(_ message: String, at position: String.Index) {
        self.message = message
        self.position = position
    }
}

/// The errors that are reported by more than one part of the parser.
extension FormatFault {
    static func keyPath(at position: String.Index) -> FormatFault {
        FormatFault("key paths with a '.' are not supported", at: position)
    }

    static func aggregate(at position: String.Index) -> FormatFault {
        FormatFault("aggregates such as @count are not supported", at: position)
    }

    static func data(at position: String.Index) -> FormatFault {
        FormatFault("data and assets cannot be compared", at: position)
    }

    static func nilCompared(at position: String.Index) -> FormatFault {
        FormatFault("nil can only be compared with == and !=", at: position)
    }

    static func searchExpected(at position: String.Index) -> FormatFault {
        FormatFault("use TOKENMATCHES or CONTAINS to search all fields", at: position)
    }

    static func tooFar(at position: String.Index) -> FormatFault {
        FormatFault("the date is out of range", at: position)
    }

    static func isNotSupportedHere(_ function: String, at position: String.Index) -> FormatFault {
        FormatFault("\(function) is not supported here", at: position)
    }
}
