internal import CloudKitWire

/// Where to sign in, beside each `AUTHENTICATION_REQUIRED` that a service answers: `redirectURL` (web-services 2.2 and 4.2),
/// of which services know nothing.
enum SignInOffer {
    /// As services write it. In a text of a record its quotes would be escaped.
    private static let refusal = Array(#""serverErrorCode":"AUTHENTICATION_REQUIRED""#.utf8)

    /// Whether a write did nothing because no user has signed in: of its records none was saved, and at least one was refused
    /// for that. Web services answer such a request 421 as a whole (web-services 4.1).
    static func isAllThatIsLeft(_ answer: GatewayAnswer) -> Bool {
        guard answer.status != 421, !answer.body.ranges(of: refusal).isEmpty,
            let records = (try? JSONValue(parsing: answer.body))?["records"]?.array
        else { return false }
        let codes = records.map { $0["serverErrorCode"]?.string }
        return !codes.contains(nil) && codes.contains("AUTHENTICATION_REQUIRED")
    }

    /// Adds the address, which needs no escapes, to each such error of an answer.
    static func add(_ url: String, to answer: inout GatewayAnswer) {
        let places = answer.body.ranges(of: refusal)
        guard !places.isEmpty else { return }
        let member = Array(#","redirectURL":"\#(url)""#.utf8)
        for place in places.reversed() { answer.body.insert(contentsOf: member, at: place.upperBound) }
    }
}
