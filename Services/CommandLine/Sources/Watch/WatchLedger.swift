import CommandLineSession

/// What a watch has heard of its zones: which notifications are repeats, before which some were dropped, and from where
/// to read a zone's feed then.
struct WatchLedger: Sendable {
    /// One stream of notifications: a zone incarnation's own, or a subscription's.
    private struct Stream: Hashable {
        var zone: String
        var incarnation: String
        var subscriptionID: String?

        init(_ notification: ZoneNotification) {
            zone = notification.zone
            incarnation = notification.incarnation
            subscriptionID = notification.subscriptionID
        }
    }

    /// The end of what came of a stream.
    private struct End {
        var seq: Int64
        /// The feed was read since: how far, in numbers, is not known.
        var isPassed = false
    }

    private var ends: [Stream: End] = [:]
    private var tokens: [String: String?]
    private let partial: Set<String>

    /// A watch of zones by name, each with its change token of now; nil for a zone that is not there yet, and will be
    /// read from its beginning.
    ///
    /// - Parameter partial: saved subscriptions that do not tell every change of a zone.
    init(tokens: [String: String?], partial: Set<String> = []) {
        self.tokens = tokens
        self.partial = partial
    }

    /// The zones watched, by name.
    var zones: [String] { tokens.keys.sorted() }

    /// From where to read the feed of `zone`; nil is its beginning.
    func token(of zone: String) -> String? { tokens[zone] ?? nil }

    /// The numbers between the last notification of the stream and this one, of a zone whose feed is not read; nil when
    /// it follows.
    func missing(before notification: ZoneNotification) -> ClosedRange<Int64>? {
        guard tokens[notification.zone] == nil, let end = ends[Stream(notification)],
            notification.fromSeq > end.seq + 1
        else { return nil }
        return end.seq + 1...notification.fromSeq - 1
    }

    /// Whether changes between the last notification of the stream and this one were told by neither, nor by the feed.
    func isGap(before notification: ZoneNotification) -> Bool {
        if let id = notification.subscriptionID, partial.contains(id) { return false }
        guard tokens[notification.zone] != nil, let end = ends[Stream(notification)] else { return false }
        return !end.isPassed && notification.fromSeq > end.seq + 1
    }

    /// Notes a notification; false for a repeat, whose last change is not above the last one heard.
    mutating func admit(_ notification: ZoneNotification) -> Bool {
        let stream = Stream(notification)
        guard notification.toSeq > ends[stream]?.seq ?? 0 else { return false }
        ends[stream] = End(seq: notification.toSeq)
        if let token = notification.syncToken { setToken(token, of: notification.zone) }
        return true
    }

    /// The feed of `zone` has been read up to `token`; nil when it has to be read from its beginning.
    mutating func move(_ zone: String, to token: String?) {
        setToken(token, of: zone)
        for stream in ends.keys where stream.zone == zone { ends[stream]?.isPassed = true }
    }

    private mutating func setToken(_ token: String?, of zone: String) {
        if tokens[zone] != nil { tokens[zone] = .some(token) }
    }
}
