internal import FoundationEssentials

/// The names of a load's zones and records. A record's name is `<run>.<slot>.<record>`, so that the owner of a record
/// in a feed is known without a table of names.
struct LoadNames: Sendable {
    /// A record of a slot.
    struct Record: Hashable, Sendable {
        var slot: Int
        var index: Int
    }

    /// The name of the run, which distinguishes its records from those of earlier runs in the same zones.
    var run: String
    /// The prefix of the zones' names.
    var zonePrefix: String

    /// Returns the name of the zone with the number `zone`, such as `load-7`.
    func zone(_ zone: Int) -> String { "\(zonePrefix)-\(zone)" }

    /// Returns the name of the root of the share with the number `share`. It is not the name of a record of a slot.
    func root(_ share: Int) -> String { "\(run).root.\(share)" }

    /// Returns the record names of `count` new users, who have no data from other runs.
    static func newUsers(_ count: Int) -> [String] {
        (0..<count).map { _ in "_" + UUID().uuidString.lowercased().filter { $0 != "-" } }
    }

    /// Returns the name of a record.
    func record(_ record: Record) -> String { "\(run).\(record.slot).\(record.index)" }

    /// Returns the record with a name; nil if it does not belong to this run.
    func record(named name: String) -> Record? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == run, let slot = Int(parts[1]), let index = Int(parts[2]) else { return nil }
        return Record(slot: slot, index: index)
    }
}
