/// The reason why a predicate cannot be sent to a server.
struct PredicateFault: Error {
    /// The predicate's format as far as it is known.
    var format: String
    /// The reason, in words.
    var reason: String

    init(_ format: String, _ reason: String) {
        self.format = format
        self.reason = reason
    }

    /// The reason with the format.
    var message: String { "The predicate '\(format.prefix(200))' cannot be used in a query: \(reason)" }
}
