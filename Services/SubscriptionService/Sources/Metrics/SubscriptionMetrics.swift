internal import Metrics
internal import RequestServing
internal import ServiceMessages
internal import ServiceRuntime
internal import SubscriptionStorage

/// What the service counts beside its requests. The names are in `deploy/docs/metrics.md`.
struct SubscriptionMetrics: Sendable {
    /// Notifications that the broker confirmed, by their kind.
    let notifications: LabelledHandles<NotificationMessage.Kind, Counter>
    /// Notifications that the broker did not take, twice.
    let refused: Counter
    /// Change events that were delivered before.
    let repeats: Counter
    /// Change events that nobody can read.
    let malformed: Counter
    /// Pages read from the log because events had not come, or were too long.
    let logReads: Counter
    /// Zones whose changes were given up.
    let zonesGivenUp: Counter
    /// Zones whose cursor another instance had moved.
    let cursorConflicts: Counter
    /// Zones whose cursor was ahead of them.
    let cursorsLowered: Counter
    /// Deliveries of single zones whose changes took too much matching for a round.
    let costlyDeliveries: Counter
    /// Changes that the sweep found.
    let sweepFinds: Counter
    /// Notifications that clients' queues had no room for.
    let clientDrops: Counter
    /// Moments that lay in the future of a restored database.
    let momentsForgotten: Counter
    /// Clients that are registered now.
    let clients: Meter
    /// Pages of replays that were answered.
    let replays: Counter
    /// Notifications in these.
    let replayed: Counter
    private let lag: Recorder

    /// Handles in `metrics`.
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

    /// The broker has confirmed the notifications of the changes that `outcome` says.
    func notified(of changes: [ZoneChange], _ outcome: Notifier.Outcome) {
        let now = SystemClock.milliseconds()
        // By the record service's database's clock, which may be ahead of ours.
        for change in changes where change.toSeq <= outcome.reached[change.incarnation]?.seq ?? 0 {
            lag.record(Double(max(0, now - change.event.at)) / 1000)
        }
    }
}

extension SubscriptionMetrics {
    static let notifications = MetricFamily.counter(
        "zonda_notifications_total", "Notifications published and confirmed, for zones' and for users' queues.")
    static let refused = MetricFamily.counter(
        "zonda_notifications_refused_total", "Notifications that the broker refused twice: a consumer's queue is full.")
    static let repeats = MetricFamily.counter(
        "zonda_change_repeats_total", "Change events that came again after they were delivered.")
    static let malformed = MetricFamily.counter(
        "zonda_change_events_malformed_total", "Change events that cannot be read; they are dead-lettered.")
    static let logReads = MetricFamily.counter(
        "zonda_change_log_reads_total", "Pages read from the change log because events were missing or too long.")
    static let zonesGivenUp = MetricFamily.counter(
        "zonda_zones_given_up_total", "Zones whose changes were given up: the record service does not know them.")
    static let cursorConflicts = MetricFamily.counter(
        "zonda_cursor_conflicts_total", "Zones whose cursor another instance had moved.")
    static let cursorsLowered = MetricFamily.counter(
        "zonda_cursors_lowered_total", "Zones whose cursor was ahead of them, since the database had lost changes.")
    static let costlyDeliveries = MetricFamily.counter(
        "zonda_costly_deliveries_total",
        "Deliveries beside the others, of zones whose query subscriptions took too much matching.")
    static let sweepFinds = MetricFamily.counter(
        "zonda_sweep_finds_total", "Zones with changes whose events were lost, which the sweep found.")
    static let clientDrops = MetricFamily.counter(
        "zonda_client_drops_total", "Notifications that registered clients' queues had no room for.")
    static let momentsForgotten = MetricFamily.counter(
        "zonda_moments_forgotten_total",
        "Moments of subscriptions and of the sweep forgotten since the database was restored elsewhere.")
    static let clients = MetricFamily.gauge(
        "zonda_clients", "Registered clients of the whole deployment, as of this instance's last round.")
    static let replays = MetricFamily.counter(
        "zonda_replays_total", "Pages of past notifications that granted consumers were answered.")
    static let replayed = MetricFamily.counter(
        "zonda_notifications_replayed_total", "Past notifications in these pages.")
    static let lag = MetricFamily.histogram(
        "zonda_change_lag_seconds", "From a change's commit until the broker confirmed its notifications.",
        buckets: .longTimes)
}
