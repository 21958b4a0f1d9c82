import CommandLineSession

/// The plan of a record load.
struct LoadPlan: Sendable {
    /// The number of connections, each with a window of requests.
    var producers = 4
    /// The number of zones, over which the records are distributed evenly.
    var zones = 100
    /// The number of users who participate in every share; 0 for a load without shares.
    var participants = 0
    /// The number of shares, which are distributed evenly over the zones. Zones without a share are not used. Without
    /// participants, there are no shares.
    var shares = 1
    /// The time during which requests are started.
    var duration: Duration = .seconds(20)
    /// The maximum number of requests of a slot; nil for no maximum.
    var requestsPerSlot: Int?
    /// The number of records in a request, all of one zone.
    var operations = 1
    /// The size of an operation's JSON, in bytes.
    var sizeBytes = 500
    /// The fraction of requests that look up records, 0 to 1.
    var reads = 0.2
    /// The fraction of writes that replace records of this run, 0 to 1; the others create records.
    var updates = 0.5
    /// The number of requests per second, over all producers; 0 for the maximum.
    var rate = 0.0
    /// The maximum number of requests in progress per producer.
    var inFlight = 16
    /// Whether all acknowledged records are read and verified at the end.
    var verifies = false
    /// The seed, which determines names, zones and the sequence of operations.
    var seed: UInt64 = 0
    /// The prefix of the zones' names.
    var zonePrefix = "load"
    /// The maximum time for which a request is repeated before it fails.
    var requestLimit: Duration = .seconds(60)

    /// The number of slots of all producers. Each slot has one request in progress.
    var slots: Int { producers * inFlight }

    /// The places over which the records are distributed evenly.
    var places: LoadPlaces {
        participants > 0
            ? LoadPlaces(zones: min(zones, shares), shares: shares) : LoadPlaces(zones: zones, shares: 0)
    }

    /// The maximum number of requests of a producer that are in progress at a time, including those that keep the
    /// copies of its participants up to date.
    var window: Int { inFlight + (participants + producers - 1) / max(1, producers) }

    /// The names of this run, which contain the digits of the seed.
    var names: LoadNames { LoadNames(run: "r" + String(seed, radix: 36), zonePrefix: zonePrefix) }

    private var leastSizeBytes: Int {
        participants > 0 ? LoadBodies.leastSharedSizeBytes : LoadBodies.leastSizeBytes
    }

    /// The error if a value is invalid; nil if all values are valid.
    var fault: String? {
        switch true {
        case !(1...100_000).contains(zones): "--zones must be from 1 to 100000"
        case !(0...99).contains(participants): "--participants must be from 0 to 99"
        case !(1...10_000).contains(shares): "--shares must be from 1 to 10000"
        case participants == 0 && shares != Self().shares: "--shares requires --participants"
        case !(1...200).contains(operations): "--operations must be from 1 to 200"
        case !(leastSizeBytes...1_000_000).contains(sizeBytes):
            "--size must be a number of bytes from \(leastSizeBytes) to 1000000"
        case !(0...1).contains(reads): "--reads must be a fraction from 0 to 1"
        case !(0...1).contains(updates): "--updates must be a fraction from 0 to 1"
        case !(rate >= 0 && rate.isFinite): "--rate must be a number of requests per second, or 0"
        case !(1...5000).contains(inFlight): "--in-flight must be from 1 to 5000"
        default: nil
        }
    }
}
