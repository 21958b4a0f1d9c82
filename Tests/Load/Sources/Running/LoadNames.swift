/// The names of a load's zones and records: `<run>.<slot>.<record>`, so that a record met in a feed tells who owns
/// it without a table of names.
struct LoadNames: Sendable {
    /// Which record of which slot.
    struct Record: Hashable, Sendable {
        var slot: Int
        var index: Int
    }

    /// Distinguishes this run's records from those of earlier runs in the same zones.
    var run: String
    /// The beginning of each zone's name.
    var zonePrefix: String

    /// The name of zone number `zone`: `load-7`.
    func zone(_ zone: Int) -> String { "\(zonePrefix)-\(zone)" }

    /// The name of a record.
    func record(_ record: Record) -> String { "\(run).\(record.slot).\(record.index)" }

    /// The record of that name; nil for one that is not of this run.
    func record(named name: String) -> Record? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == run, let slot = Int(parts[1]), let index = Int(parts[2]) else { return nil }
        return Record(slot: slot, index: index)
    }
}
