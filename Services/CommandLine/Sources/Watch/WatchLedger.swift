/// What a watch has heard of its zones: which notifications are repeats, and from where to read a zone's feed when some
/// may have been missed.
struct WatchLedger: Sendable {
    /// One stream of notifications: a zone incarnation's own, or a subscription's.
    private struct Stream: Hashable {
        var incarnation: String
        var subscriptionID: String?
    }

    private var lastSeq: [Stream: Int64] = [:]
    private var tokens: [String: String?]

    /// A watch of zones by name, each with its change token of now; nil for a zone that is not there yet, and will be
    /// read from its beginning.
    init(tokens: [String: String?]) { self.tokens = tokens }

    /// The zones watched, by name.
    var zones: [String] { tokens.keys.sorted() }

    /// From where to read the feed of `zone`; nil is its beginning.
    func token(of zone: String) -> String? { tokens[zone] ?? nil }

    /// Notes a notification; false for a repeat, whose last change is not above the last one heard.
    mutating func admit(_ notification: ZoneNotification) -> Bool {
        let stream = Stream(
            incarnation: notification.incarnation, subscriptionID: notification.subscriptionID)
        guard notification.toSeq > lastSeq[stream] ?? 0 else { return false }
        lastSeq[stream] = notification.toSeq
        if let token = notification.syncToken { move(notification.zone, to: token) }
        return true
    }

    /// The feed of `zone` has been read up to `token`; nil when it has to be read from its beginning.
    mutating func move(_ zone: String, to token: String?) {
        if tokens[zone] != nil { tokens[zone] = .some(token) }
    }
}
