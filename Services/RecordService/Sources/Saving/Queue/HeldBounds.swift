internal import RecordStorage

/// How much of the window of writes may wait for zones that others have locked.
package struct HeldBounds: Sendable {
    /// The shares hold from this long after the first attempt that missed the zone's lock: two instances at one hot zone
    /// miss each other for milliseconds.
    package var grace: Duration = .milliseconds(500)
    /// A request waits no longer than a zone has been missed for so long.
    package var patience: Duration = .seconds(10)
    /// Of one zone.
    package var zone = Share(requests: .max, bytes: .max)
    /// Of one environment.
    package var environment = Share(requests: .max, bytes: .max)
    /// Of all.
    package var all = Share(requests: .max, bytes: .max)

    /// Requests and the bytes of their bodies.
    package struct Share: Sendable {
        /// Requests.
        package var requests: Int
        /// Bytes of bodies.
        package var bytes: Int

        /// So many of each.
        package init(requests: Int, bytes: Int) { (self.requests, self.bytes) = (requests, bytes) }
    }

    /// No bounds but the patience.
    package init() {}

    /// An eighth of a window for a zone, a quarter for an environment, half of it for all.
    package init(window: Share) {
        func part(_ divisor: Int) -> Share {
            Share(requests: max(1, window.requests / divisor), bytes: window.bytes / divisor)
        }
        (zone, environment, all) = (part(8), part(4), part(2))
    }
}

/// What waits for missed zones, by zone and environment.
struct HeldLoad {
    private var zones: [ZoneRow: HeldBounds.Share] = [:]
    private var environments: [EnvironmentRow: HeldBounds.Share] = [:]
    private var all = HeldBounds.Share(requests: 0, bytes: 0)

    /// A request begins to wait.
    mutating func add<Request>(_ weight: WriteScheduler<Request>.Weight, _ zone: ZoneRow) {
        change(weight.environment, zone, requests: 1, bytes: weight.bytes)
    }

    /// A request waits no more.
    mutating func remove<Request>(_ weight: WriteScheduler<Request>.Weight, _ zone: ZoneRow) {
        change(weight.environment, zone, requests: -1, bytes: -weight.bytes)
    }

    /// Whether the zone has more than its share, or it is one of those that have too much together.
    func exceeds(_ bounds: HeldBounds, _ zone: ZoneRow, _ environment: EnvironmentRow) -> Bool {
        zones[zone].map { $0.exceeds(bounds.zone) } == true
            || environments[environment].map { $0.exceeds(bounds.environment) } == true || all.exceeds(bounds.all)
    }

    private mutating func change(_ environment: EnvironmentRow, _ zone: ZoneRow, requests: Int, bytes: Int) {
        all.change(requests, bytes)
        zones[zone, default: HeldBounds.Share(requests: 0, bytes: 0)].change(requests, bytes)
        environments[environment, default: HeldBounds.Share(requests: 0, bytes: 0)].change(requests, bytes)
        if zones[zone]?.requests == 0 { zones[zone] = nil }
        if environments[environment]?.requests == 0 { environments[environment] = nil }
    }
}

extension HeldBounds.Share {
    fileprivate func exceeds(_ bound: HeldBounds.Share) -> Bool {
        requests > bound.requests || bytes > bound.bytes
    }

    fileprivate mutating func change(_ requests: Int, _ bytes: Int) {
        self.requests += requests
        self.bytes += bytes
    }
}
