import ArgumentParser
import CloudKitModel
import CloudKitQuery
import CloudKitWire

/// Which records a command is about.
struct QueryOptions: ParsableArguments {
    @Option(help: "The record type.")
    var type: String

    @Option(help: "The record zone. Default: _defaultZone.")
    var zone: String?

    @Flag(help: "Look in all zones of the database.")
    var allZones = false

    @Argument(help: "What the records have to be like. Default: TRUEPREDICATE, all of them.")
    var predicate = "TRUEPREDICATE"

    @Argument(help: ArgumentHelp("What is put in for %@ and the like.", valueName: "arg"))
    var arguments: [String] = []

    func validate() throws {
        if allZones, zone != nil { throw ValidationError("Give --zone or --all-zones, not both") }
        _ = try PredicateSpelling(predicate, arguments)
    }

    /// Where they are.
    var scope: QueryScope {
        QueryScope(zoneID: zone.map { ZoneID(zoneName: ZoneName(unchecked: $0)) }, zoneWide: allZones)
    }

    /// The query; its predicate is read here, since services read none.
    ///
    /// - Parameter now: What `now()` means, in milliseconds since 1970.
    /// - Throws: a ``PredicateFault``.
    func query(sorts: [Sort] = [], now: Int64) throws -> WireQuery {
        let predicate = try PredicateSpelling(predicate, arguments).predicate(now: now)
        return Query(recordType: type, predicate: predicate, sorts: sorts).wire
    }
}
