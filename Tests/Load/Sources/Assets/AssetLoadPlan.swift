import CommandLineSession

/// The plan of an asset load.
struct AssetLoadPlan: Sendable {
    /// The number of connections to the broker.
    var producers = 4
    /// The number of zones, over which the records are distributed evenly.
    var zones = 4
    /// The time during which steps are started.
    var duration: Duration = .seconds(20)
    /// The maximum number of steps of a slot; nil for no maximum.
    var stepsPerSlot: Int?
    /// The average size of an asset, in bytes. Sizes vary from 0.5 to 1.5 times the average.
    var sizeBytes = 100_000
    /// The maximum number of steps in progress per producer.
    var inFlight = 2
    /// Whether the assets of all records are downloaded at the end.
    var verifies = false
    /// The maximum time to wait for the deletion of the contents, after all records have been deleted; nil to keep the
    /// records.
    var drain: Duration?
    /// The seed, which determines names, contents and the sequence of operations.
    var seed: UInt64 = 0
    /// The maximum time for which a request or transfer is repeated before it fails.
    var requestLimit: Duration = .seconds(60)

    /// The field that contains the asset.
    static let field = "file"

    /// The number of slots of all producers. Each slot has one step in progress.
    var slots: Int { producers * inFlight }

    /// The names of this run, which contain the digits of the seed.
    var names: LoadNames { LoadNames(run: "a" + String(seed, radix: 36), zonePrefix: "load-assets") }

    /// Returns the place of the asset in a slot's record.
    func place(ofRecord record: Int, slot: Int) -> AssetPlace {
        AssetPlace(
            zone: names.zone((slot + record) % zones),
            recordName: names.record(LoadNames.Record(slot: slot, index: record)), field: Self.field)
    }

    /// The error if a value is invalid; nil if all values are valid.
    var fault: String? {
        switch true {
        case !(1...10_000).contains(zones): "--zones must be from 1 to 10000"
        case !(1...100_000_000).contains(sizeBytes): "--size must be a number of bytes from 1 to 100000000"
        case !(1...1000).contains(inFlight): "--in-flight must be from 1 to 1000"
        default: nil
        }
    }
}
