import CommandLineSession

/// What a load of assets is to do.
struct AssetLoadPlan: Sendable {
    /// Connections to the broker.
    var producers = 4
    /// Zones over which the records are spread evenly.
    var zones = 4
    /// For how long new steps are begun.
    var duration: Duration = .seconds(20)
    /// How many steps a slot takes at most, whatever the duration; nil is any number.
    var stepsPerSlot: Int?
    /// Bytes of an asset on average; they vary from half of it to one and a half.
    var sizeBytes = 100_000
    /// Steps under way per producer.
    var inFlight = 2
    /// Whether every record's bytes are fetched at the end.
    var verifies = false
    /// How long contents may still be there at the end, when all records are deleted; nil leaves the records.
    var drain: Duration?
    /// Decides names, contents and the mixture.
    var seed: UInt64 = 0
    /// How long one request or transfer is repeated before it counts as failed.
    var requestLimit: Duration = .seconds(60)

    /// The field that holds the asset.
    static let field = "file"

    /// Slots over all producers; each has one step under way.
    var slots: Int { producers * inFlight }

    /// The names of this run: the seed's digits tell runs apart.
    var names: LoadNames { LoadNames(run: "a" + String(seed, radix: 36), zonePrefix: "load-assets") }

    /// Where the asset of a slot's record is.
    func place(ofRecord record: Int, slot: Int) -> AssetPlace {
        AssetPlace(
            zone: names.zone((slot + record) % zones),
            recordName: names.record(LoadNames.Record(slot: slot, index: record)), field: Self.field)
    }

    /// What is wrong with the numbers, as a sentence; nil if nothing is.
    var fault: String? {
        switch true {
        case !(1...10_000).contains(zones): "--zones is a number from 1 to 10000"
        case !(1...100_000_000).contains(sizeBytes): "--size is a number of bytes from 1 to 100000000"
        case !(1...1000).contains(inFlight): "--in-flight is a number from 1 to 1000"
        default: nil
        }
    }
}
