internal import CloudKitWire

/// Adds the address of the sign-in page, `redirectURL`, to each `AUTHENTICATION_REQUIRED` in an answer from a service
/// (web-services 2.2 and 4.2). Services do not know the address.
enum SignInRedirect {
    /// The member with the error code, exactly as services write it. Within a string in a record, the quotes would be
    /// escaped.
    private static let refusal = Array(#""serverErrorCode":"AUTHENTICATION_REQUIRED""#.utf8)

    /// Returns whether a write had no effect and signing in might help: none of its records was saved, and at least one
    /// was refused because no user has signed in. Web services answer such a request with a single 421 for the whole
    /// request (web-services 4.1).
    static func isOnlyRemedy(for answer: GatewayAnswer) -> Bool {
        guard answer.status != 421, !answer.body.ranges(of: refusal).isEmpty,
            let records = (try? JSONValue(parsing: answer.body))?["records"]?.array
        else { return false }
        let codes = records.map { $0["serverErrorCode"]?.string }
        return !codes.contains(nil) && codes.contains("AUTHENTICATION_REQUIRED")
    }

    /// Adds the address, which needs no escaping, to each `AUTHENTICATION_REQUIRED` error in an answer.
    static func add(_ url: String, to answer: inout GatewayAnswer) {
        let places = answer.body.ranges(of: refusal)
        guard !places.isEmpty else { return }
        let member = Array(#","redirectURL":"\#(url)""#.utf8)
        for place in places.reversed() { answer.body.insert(contentsOf: member, at: place.upperBound) }
    }
}
