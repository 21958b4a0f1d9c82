internal import Metrics
internal import RequestServing
internal import ServiceMessages
internal import ServiceRuntime
internal import SubscriptionStorage

/// The kind of a notification, used as a label of the metrics.
enum NotificationKind: String, Sendable, CaseIterable {
    /// A message to the consumers that have bound a queue to the zone.
    case zone
    /// A message to the user of a subscription.
    case user
}

/// The metrics of the service, in addition to the metrics of its requests. `deploy/docs/metrics.md` describes them.
struct SubscriptionMetrics: Sendable {
    /// Notifications that the broker confirmed, by kind.
    let notifications: LabelledHandles<NotificationKind, Counter>
    /// Notifications that the broker refused twice.
    let refused: Counter
    /// Redelivered change events whose changes had already been delivered.
    let repeats: Counter
    /// Change events that cannot be parsed.
    let malformed: Counter
    /// Pages read from the log because events were missing or too large.
    let logReads: Counter
    /// Zones whose changes were discarded.
    let zonesGivenUp: Counter
    /// Zones whose cursor another instance has moved.
    let cursorConflicts: Counter
    /// Zones whose cursor was ahead of their changes.
    let cursorsLowered: Counter
    /// Separate deliveries of costly zones.
    let costlyDeliveries: Counter
    /// Zones for which the sweep found lost events.
    let sweepFinds: Counter
    /// Notifications that the full queues of clients have dropped.
    let clientDrops: Counter
    /// Moments that lay in the future after the database was restored.
    let momentsForgotten: Counter
    /// Registered clients.
    let clients: Meter
    /// Pages of past notifications returned to consumers.
    let replays: Counter
    /// Past notifications returned to consumers.
    let replayed: Counter
    /// The time between the commit of a change and the broker's confirmation of its notifications, in seconds.
    let lag: Recorder

    /// Creates the handles in `metrics`.
    init(_ metrics: ServiceMetrics) {
        metrics.declare(Self.notifications)
        notifications = LabelledHandles { metrics.counter(Self.notifications, ["kind": $0.rawValue]) }
        refused = metrics.counter(Self.refused)
        repeats = metrics.counter(Self.repeats)
        malformed = metrics.counter(Self.malformed)
        logReads = metrics.counter(Self.logReads)
        zonesGivenUp = metrics.counter(Self.zonesGivenUp)
        cursorConflicts = metrics.counter(Self.cursorConflicts)
        cursorsLowered = metrics.counter(Self.cursorsLowered)
        costlyDeliveries = metrics.counter(Self.costlyDeliveries)
        sweepFinds = metrics.counter(Self.sweepFinds)
        clientDrops = metrics.counter(Self.clientDrops)
        momentsForgotten = metrics.counter(Self.momentsForgotten)
        clients = metrics.gauge(Self.clients)
        replays = metrics.counter(Self.replays)
        replayed = metrics.counter(Self.replayed)
        lag = metrics.histogram(Self.lag)
    }
}

extension SubscriptionMetrics {
    static let notifications = MetricFamily.counter(
        "zonda_notifications_total", "Notifications that the broker confirmed, by kind: zone or user.")
    static let refused = MetricFamily.counter(
        "zonda_notifications_refused_total",
        "Notifications that the broker refused twice because a consumer's queue was full.")
    static let repeats = MetricFamily.counter(
        "zonda_change_repeats_total",
        "Change events that were redelivered after their changes had been delivered.")
    static let malformed = MetricFamily.counter(
        "zonda_change_events_malformed_total",
        "Change events that could not be parsed and were dead-lettered.")
    static let logReads = MetricFamily.counter(
        "zonda_change_log_reads_total", "Pages read from the change log because events were missing or too large.")
    static let zonesGivenUp = MetricFamily.counter(
        "zonda_zones_given_up_total",
        "Zones whose changes were discarded because the record service does not know them.")
    static let cursorConflicts = MetricFamily.counter(
        "zonda_cursor_conflicts_total", "Zones whose cursor another instance has moved.")
    static let cursorsLowered = MetricFamily.counter(
        "zonda_cursors_lowered_total",
        "Zones whose cursor was ahead of their changes because the database lost some.")
    static let costlyDeliveries = MetricFamily.counter(
        "zonda_costly_deliveries_total",
        "Separate deliveries of zones whose subscriptions require too much matching or whose participants are unknown.")
    static let sweepFinds = MetricFamily.counter(
        "zonda_sweep_finds_total", "Zones for which the sweep found lost events.")
    static let clientDrops = MetricFamily.counter(
        "zonda_client_drops_total",
        "Notifications that the full queues of registered clients have dropped.")
    static let momentsForgotten = MetricFamily.counter(
        "zonda_moments_forgotten_total",
        "Moments of subscriptions and of the sweep that were reset because the database was restored.")
    static let clients = MetricFamily.gauge(
        "zonda_clients",
        "Registered clients in the whole deployment, counted by this instance every 30 seconds.")
    static let replays = MetricFamily.counter(
        "zonda_replays_total", "Pages of past notifications returned to consumers.")
    static let replayed = MetricFamily.counter(
        "zonda_notifications_replayed_total", "Past notifications returned to consumers.")
    static let lag = MetricFamily.histogram(
        "zonda_change_lag_seconds",
        "Time between the commit of a change and the broker's confirmation of its notifications.",
        buckets: .longTimes)
}
