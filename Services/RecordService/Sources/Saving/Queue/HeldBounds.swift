internal import RecordStorage

/// The bounds for requests that are waiting for zones locked by other processes.
package struct HeldBounds: Sendable {
    /// The time after the first missed attempt during which the bounds do not apply. When two instances share a hot
    /// zone, each misses the lock only for milliseconds.
    package var grace: Duration = .milliseconds(500)
    /// The time after the first missed attempt at which the requests for a zone are removed from the queue.
    package var patience: Duration = .seconds(10)
    /// The maximum for one zone.
    package var zone = Share(requests: .max, bytes: .max)
    /// The maximum for one environment.
    package var environment = Share(requests: .max, bytes: .max)
    /// The maximum for all requests together.
    package var all = Share(requests: .max, bytes: .max)

    /// A number of requests, and the total size of their bodies.
    package struct Share: Sendable {
        /// The number of requests.
        package var requests: Int
        /// The total size of their bodies, in bytes.
        package var bytes: Int

        /// Creates a share.
        package init(requests: Int, bytes: Int) { (self.requests, self.bytes) = (requests, bytes) }
    }

    /// Creates bounds without a limit on the number or size of requests.
    package init() {}

    /// Creates bounds that are shares of the consumer's window: an eighth for a zone, a quarter for an environment, and
    /// half for all requests.
    package init(window: Share) {
        func part(_ divisor: Int) -> Share {
            Share(requests: max(1, window.requests / divisor), bytes: window.bytes / divisor)
        }
        (zone, environment, all) = (part(8), part(4), part(2))
    }
}

/// The number and size of the requests that are waiting for missed zones, by zone and by environment.
struct HeldLoad {
    private var zones: [ZoneRow: HeldBounds.Share] = [:]
    private var environments: [EnvironmentRow: HeldBounds.Share] = [:]
    private var all = HeldBounds.Share(requests: 0, bytes: 0)

    /// Adds a request that has started to wait.
    mutating func add<Request>(_ weight: WriteScheduler<Request>.Weight, _ zone: ZoneRow) {
        change(weight.environment, zone, requests: 1, bytes: weight.bytes)
    }

    /// Removes a request that is no longer waiting.
    mutating func remove<Request>(_ weight: WriteScheduler<Request>.Weight, _ zone: ZoneRow) {
        change(weight.environment, zone, requests: -1, bytes: -weight.bytes)
    }

    /// Whether the zone, the environment or all zones together exceed their bound.
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
