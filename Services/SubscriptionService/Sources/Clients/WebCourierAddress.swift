internal import CloudKitWire
internal import RequestServing
internal import SignedTokens

/// The address at which the gateway delivers a client's notifications, as contained in answers to registrations.
struct WebCourierAddress: Sendable {
    /// The gateway's address for polls.
    let url: String
    /// How long a registration lasts.
    let life: Duration

    /// Returns the answer to `tokens.create` and `tokens.register`. CloudKit JS expects the same keys in both answers
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
