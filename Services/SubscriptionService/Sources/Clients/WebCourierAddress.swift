internal import CloudKitWire
internal import RequestServing
internal import SignedTokens

/// What a client is answered about its token: where it polls, and for how long it is served.
struct WebCourierAddress: Sendable {
    /// Where the gateway answers polls.
    let url: String
    /// How long a registration lasts.
    let life: Duration

    /// The answer of `tokens.create` and `tokens.register`: the same keys, since CloudKit JS wants them of both
    /// (web-services 8.1).
    func answer(_ token: ClientToken) -> Answer {
        let separator = url.contains("?") ? "&" : "?"
        return Answer { writer in
            writer.member("apnsEnvironment", token.environment.rawValue)
            writer.member("apnsToken", token.text)
            writer.member(
                "webcourierURL", "\(url)\(separator)tok=\(token.urlText)&ttl=\(life.components.seconds)")
        }
    }
}
