import CommandLineSession

/// What a load of subscriptions is to do.
struct WatchedPlan: Sendable {
    /// Connections of writers, and again of watchers.
    var producers = 4
    /// Zones of the run; new ones, since their changes are counted from the first.
    var zones = 20
    /// Queues, each bound to a few zones.
    var watchers = 50
    /// For how long saves are begun.
    var duration: Duration = .seconds(20)
    /// How many requests a slot begins at most, whatever the duration; nil is any number.
    var requestsPerSlot: Int?
    /// Records in one request, all of one zone.
    var operations = 1
    /// Requests per second over all producers; 0 is as many as are answered.
    var rate = 0.0
    /// Requests under way per producer.
    var inFlight = 4
    /// How long the last notifications are waited for.
    var settle: Duration = .seconds(30)
    /// Decides the mixture.
    var seed: UInt64 = 0
    /// How long one request is repeated before it counts as failed.
    var requestLimit: Duration = .seconds(60)
    /// Names that no other run has.
    var names = LoadNames(
        run: "w", zonePrefix: "watched-" + String(UInt64.random(in: 0...0xFFFF_FFFF_FFFF), radix: 36))

    /// How many zones one watcher listens to.
    private static let zonesPerWatcher = 3

    /// The service keeps 1000 subscriptions of a user, and some may be in use.
    private static let maxSubscribers = 200

    /// Slots over all producers; each has one request under way.
    var slots: Int { producers * inFlight }

    /// The zones that a watcher listens to.
    func zones(ofWatcher watcher: Int) -> [Int] {
        let count = min(Self.zonesPerWatcher, zones)
        return (0..<count).map { (watcher * count + $0) % zones }
    }

    /// Whether a watcher listens by saved subscriptions, one for each of its zones: a third of them, at most 200.
    func isSubscriber(_ watcher: Int) -> Bool { watcher % 3 == 2 && watcher / 3 < Self.maxSubscribers }

    /// The id of a watcher's subscription to a zone.
    func subscriptionID(ofWatcher watcher: Int, zone: Int) -> String { "\(names.zonePrefix)-w\(watcher)-\(zone)" }

    /// What is wrong with the numbers, as a sentence; nil if nothing is.
    var fault: String? {
        switch true {
        case !(1...10_000).contains(zones): "--zones is a number from 1 to 10000"
        case !(1...2000).contains(watchers): "--watchers is a number from 1 to 2000"
        case !(1...200).contains(operations): "--operations is a number from 1 to 200"
        case !(rate >= 0 && rate.isFinite): "--rate is a number of requests a second, or 0"
        case !(1...5000).contains(inFlight): "--in-flight is a number from 1 to 5000"
        default: nil
        }
    }
}
