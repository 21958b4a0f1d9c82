internal import ServiceRuntime

/// What the service counts beside its requests.
enum SubscriptionMetrics {
    /// Notifications published and confirmed: `zone.…` and `user.…` messages.
    static func notifications(_ kind: NotificationMessage.Kind) -> ServiceMetrics.Series {
        ServiceMetrics.Series("zonda_notifications_total", ["kind": kind.rawValue])
    }
    /// Notifications that the broker did not take, twice: a consumer's queue is full.
    static let refused = ServiceMetrics.Series("zonda_notifications_refused_total")
    /// Change events that were delivered before.
    static let repeats = ServiceMetrics.Series("zonda_change_repeats_total")
    /// Change events that nobody can read; they are dead-lettered.
    static let malformed = ServiceMetrics.Series("zonda_change_events_malformed_total")
    /// Pages read from the log because events had not come, or were too long.
    static let logReads = ServiceMetrics.Series("zonda_change_log_reads_total")
    /// Gaps behind which a zone was given up, because the record service does not know it any more.
    static let zonesGivenUp = ServiceMetrics.Series("zonda_zones_given_up_total")
    /// Zones whose cursor another instance had moved.
    static let cursorConflicts = ServiceMetrics.Series("zonda_cursor_conflicts_total")
    /// Changes whose events were lost whole, and which the sweep found.
    static let sweepFinds = ServiceMetrics.Series("zonda_sweep_finds_total")
}
