import CommandLineSession

/// The plan of a subscription load.
struct WatchedPlan: Sendable {
    /// The number of connections for writers, and the number of those for watchers.
    var producers = 4
    /// The number of zones. They are new, because their changes are counted from the first one.
    var zones = 20
    /// The number of queues, each bound to some zones.
    var watchers = 50
    /// The time during which saves are started.
    var duration: Duration = .seconds(20)
    /// The maximum number of requests of a slot; nil for no maximum.
    var requestsPerSlot: Int?
    /// The number of records in a request, all of one zone.
    var operations = 1
    /// The number of requests per second, over all producers; 0 for the maximum.
    var rate = 0.0
    /// The maximum number of requests in progress per producer.
    var inFlight = 4
    /// The maximum time to wait for the last notifications.
    var settle: Duration = .seconds(30)
    /// The seed, which determines the sequence of operations.
    var seed: UInt64 = 0
    /// The maximum time for which a request is repeated before it fails.
    var requestLimit: Duration = .seconds(60)
    /// The names of this run. No other run uses them.
    var names = LoadNames(
        run: "w", zonePrefix: "watched-" + String(UInt64.random(in: 0...0xFFFF_FFFF_FFFF), radix: 36))

    /// The number of zones that a watcher watches.
    private static let zonesPerWatcher = 3

    /// The maximum number of watchers with saved subscriptions. The service allows a user 1,000 subscriptions, some of
    /// which may already exist.
    private static let maxSubscribers = 200

    /// The number of slots of all producers. Each slot has one request in progress.
    var slots: Int { producers * inFlight }

    /// Returns the zones of a watcher.
    func zones(ofWatcher watcher: Int) -> [Int] {
        let count = min(Self.zonesPerWatcher, zones)
        return (0..<count).map { (watcher * count + $0) % zones }
    }

    /// Returns whether a watcher uses saved subscriptions, one for each of its zones. A third of the watchers do, at
    /// most 200.
    func isSubscriber(_ watcher: Int) -> Bool { watcher % 3 == 2 && watcher / 3 < Self.maxSubscribers }

    /// Returns the id of a watcher's subscription to a zone.
    func subscriptionID(ofWatcher watcher: Int, zone: Int) -> String { "\(names.zonePrefix)-w\(watcher)-\(zone)" }

    /// The error if a value is invalid; nil if all values are valid.
    var fault: String? {
        switch true {
        case !(1...10_000).contains(zones): "--zones must be from 1 to 10000"
        case !(1...2000).contains(watchers): "--watchers must be from 1 to 2000"
        case !(1...200).contains(operations): "--operations must be from 1 to 200"
        case !(rate >= 0 && rate.isFinite): "--rate must be a number of requests per second, or 0"
        case !(1...5000).contains(inFlight): "--in-flight must be from 1 to 5000"
        default: nil
        }
    }
}
