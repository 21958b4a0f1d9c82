import CommandLineSession

/// The positions of a watch in its zones, and the tokens from which the zones' feeds are read. The positions reveal
/// repeated and dropped notifications.
struct WatchLedger: Sendable {
    /// A stream of notifications: the notifications of one zone incarnation or of one subscription.
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

    /// The last position in a stream.
    private struct End {
        var seq: Int64
        /// Whether the feed was read beyond this position, up to an unknown change number.
        var isPassed = false
    }

    private var ends: [Stream: End] = [:]
    private var tokens: [String: String?]
    private let partial: Set<String>

    /// Creates a ledger from the zones' current change tokens, keyed by zone name. The token is nil for a zone that
    /// does not exist yet; the feed of such a zone is read from its beginning.
    ///
    /// - Parameter partial: saved subscriptions that do not fire for every change in a zone.
    init(tokens: [String: String?], partial: Set<String> = []) {
        self.tokens = tokens
        self.partial = partial
    }

    /// The names of the watched zones.
    var zones: [String] { tokens.keys.sorted() }

    /// Returns the token from which to read the feed of `zone`; nil for its beginning.
    func token(of zone: String) -> String? { tokens[zone] ?? nil }

    /// Returns the change numbers between the stream's last notification and `notification`; nil if there are none, or
    /// if the zone's feed is read instead.
    func missing(before notification: ZoneNotification) -> ClosedRange<Int64>? {
        guard tokens[notification.zone] == nil, let end = ends[Stream(notification)],
            notification.fromSeq > end.seq + 1
        else { return nil }
        return end.seq + 1...notification.fromSeq - 1
    }

    /// Returns whether any changes between the stream's last notification and `notification` are missing from both the
    /// notifications and the feed.
    func isGap(before notification: ZoneNotification) -> Bool {
        if let id = notification.subscriptionID, partial.contains(id) { return false }
        guard tokens[notification.zone] != nil, let end = ends[Stream(notification)] else { return false }
        return !end.isPassed && notification.fromSeq > end.seq + 1
    }

    /// Records a notification. Returns false if the notification is a repeat: its last change number is not above the
    /// last recorded number.
    mutating func admit(_ notification: ZoneNotification) -> Bool {
        let stream = Stream(notification)
        guard notification.toSeq > ends[stream]?.seq ?? 0 else { return false }
        ends[stream] = End(seq: notification.toSeq)
        if let token = notification.syncToken { setToken(token, of: notification.zone) }
        return true
    }

    /// Records that the feed of `zone` was read up to `token`, or, if `token` is nil, that the feed must be read from
    /// its beginning.
    mutating func move(_ zone: String, to token: String?) {
        setToken(token, of: zone)
        for stream in ends.keys where stream.zone == zone { ends[stream]?.isPassed = true }
    }

    private mutating func setToken(_ token: String?, of zone: String) {
        if tokens[zone] != nil { tokens[zone] = .some(token) }
    }
}
