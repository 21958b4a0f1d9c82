import ArgumentParser
import CloudKitModel
import CloudKitQuery
import CloudKitWire
import CommandLineSession

/// The arguments that select records.
struct QueryOptions: ParsableArguments {
    @Option(help: "The record type.")
    var type: String

    @Option(help: "The record zone. Default: _defaultZone.")
    var zone: String?

    @Option(help: ArgumentHelp(ZonePlace.ownerHelp))
    var owner: String?

    @Flag(help: "Search all zones of the database.")
    var allZones = false

    @Argument(help: "The predicate that the records must match. Default: TRUEPREDICATE, which matches all records.")
    var predicate = "TRUEPREDICATE"

    @Argument(help: ArgumentHelp("The arguments for %@ and other placeholders.", valueName: "arg"))
    var arguments: [String] = []

    func validate() throws {
        if owner != nil, zone == nil { throw ValidationError("--owner requires --zone") }
        if allZones, zone != nil { throw ValidationError("Specify either --zone or --all-zones") }
        _ = try PredicateSpelling(predicate, arguments)
    }

    /// The zones to search.
    var scope: QueryScope {
        let owner = owner.map(UserName.init(unchecked:))
        return QueryScope(
            zoneID: zone.map { ZoneID(zoneName: ZoneName(unchecked: $0), ownerRecordName: owner) },
            zoneWide: allZones)
    }

    /// Returns the query. The predicate is parsed here, because services do not parse predicate formats.
    ///
    /// - Parameter now: the value of `now()`, in milliseconds since 1970.
    /// - Throws: a ``PredicateFault``.
    func query(sorts: [Sort] = [], now: Int64) throws -> WireQuery {
        let predicate = try PredicateSpelling(predicate, arguments).predicate(now: now)
        return Query(recordType: type, predicate: predicate, sorts: sorts).wire
    }
}
