import CommandLineSession

/// What a load of records is to do.
struct LoadPlan: Sendable {
    /// Connections, each with its own window of requests.
    var producers = 4
    /// Zones over which the records are spread evenly.
    var zones = 100
    /// For how long new requests are begun.
    var duration: Duration = .seconds(20)
    /// How many requests a slot begins at most, whatever the duration; nil is any number.
    var requestsPerSlot: Int?
    /// Records in one request, all of one zone.
    var operations = 1
    /// Bytes of one operation's JSON.
    var sizeBytes = 500
    /// The share of requests that look records up, 0 to 1.
    var reads = 0.2
    /// The share of writes that replace records of this run, 0 to 1; the others make new ones.
    var updates = 0.5
    /// Requests per second over all producers; 0 is as many as are answered.
    var rate = 0.0
    /// Requests under way per producer.
    var inFlight = 16
    /// Whether every acknowledged record is read back at the end.
    var verifies = false
    /// Decides names, zones and the mixture.
    var seed: UInt64 = 0
    /// The beginning of the zones' names.
    var zonePrefix = "load"
    /// How long one request is repeated before it counts as failed.
    var requestLimit: Duration = .seconds(60)

    /// Slots over all producers; each has one request under way.
    var slots: Int { producers * inFlight }

    /// The names of this run: the seed's digits tell runs apart.
    var names: LoadNames { LoadNames(run: "r" + String(seed, radix: 36), zonePrefix: zonePrefix) }

    /// What is wrong with the numbers, as a sentence; nil if nothing is.
    var fault: String? {
        switch true {
        case !(1...100_000).contains(zones): "--zones is a number from 1 to 100000"
        case !(1...200).contains(operations): "--operations is a number from 1 to 200"
        case !(LoadBodies.leastSizeBytes...1_000_000).contains(sizeBytes):
            "--size is a number of bytes from \(LoadBodies.leastSizeBytes) to 1000000"
        case !(0...1).contains(reads): "--reads is a share from 0 to 1"
        case !(0...1).contains(updates): "--updates is a share from 0 to 1"
        case !(rate >= 0 && rate.isFinite): "--rate is a number of requests a second, or 0"
        case !(1...5000).contains(inFlight): "--in-flight is a number from 1 to 5000"
        default: nil
        }
    }
}
