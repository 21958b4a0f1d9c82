import CloudKitModel
import CommandLineSession

/// The plan of the part of a load that checks saved subscriptions of all kinds. Writers save records in separate
/// databases, so that the subscriptions that must fire are known for each change.
struct MatchPlan: Sendable {
    /// The number of subscriptions; 0 to omit this part.
    var subscriptions = 50
    /// The kinds of subscriptions, used in turn.
    var kinds = MatchedSubscription.Kind.allCases
    /// The number of users, each with a private database. They share the public database.
    var users = 3
    /// The number of record zones in each private database.
    var zonesPerUser = 3
    /// The time during which changes are started.
    var duration: Duration = .seconds(20)
    /// The maximum number of requests of a writer; nil for no maximum.
    var requestsPerWriter: Int?
    /// The number of changes in a request, all of one zone.
    var operations = 1
    /// The number of requests per second, over all writers; 0 for the maximum.
    var rate = 0.0
    /// The maximum time to wait for the last notifications.
    var settle: Duration = .seconds(30)
    /// The seed, which determines the sequence of operations.
    var seed: UInt64 = 0
    /// The maximum time for which a request is repeated before its outcome is considered unknown.
    var requestLimit: Duration = .seconds(60)
    /// The names of this run. No other run uses them, even for records, because all runs share the public database.
    var names = Self.newNames()
    /// The users' names. They are new, so that the users have no data from other runs.
    var userNames: [String] = []

    /// The number of writers for each zone. With a single writer, errors between concurrent requests would not be
    /// detected.
    private static let writersPerPlace = 2

    /// A zone of a database.
    struct Place: Hashable, Sendable {
        /// The number of the user who owns the private database. The number after the last user is that of the public
        /// database.
        var database: Int
        /// The zone's number. The public database has one zone.
        var zone: Int
    }

    /// The number of the public database.
    var publicDatabase: Int { users }

    /// All zones of the writers.
    var places: [Place] {
        (0..<users).flatMap { user in (0..<zonesPerUser).map { Place(database: user, zone: $0) } }
            + [Place(database: publicDatabase, zone: 0)]
    }

    /// The number of writers.
    var writers: Int { places.count * Self.writersPerPlace }

    /// Returns the zone of a writer.
    func place(ofWriter writer: Int) -> Place {
        let places = users * zonesPerUser + 1
        let place = writer % places
        return place == places - 1
            ? Place(database: publicDatabase, zone: 0)
            : Place(database: place / zonesPerUser, zone: place % zonesPerUser)
    }

    /// Returns the user of a writer: the owner of the private database or, for the public database, one of the users in
    /// turn.
    func user(ofWriter writer: Int) -> Int {
        let database = place(ofWriter: writer).database
        return database == publicDatabase ? writer % users : database
    }

    /// Returns the name of a zone.
    func zoneName(_ place: Place) -> String {
        place.database == publicDatabase ? ZoneName.defaultZone.rawValue : names.zone(place.zone)
    }

    /// Returns the scope of a request that `user` makes in a database of the load.
    func scope(user: Int, database: Int, in scope: RequestScope) -> RequestScope {
        var scope = scope
        scope.database = database == publicDatabase ? .public : .private
        scope.user = userNames[user]
        return scope
    }

    private static func newNames() -> LoadNames {
        let run = "matched-" + String(UInt64.random(in: 0...0xFFFF_FFFF_FFFF), radix: 36)
        return LoadNames(run: run, zonePrefix: run)
    }

    /// The error if a value is invalid; nil if all values are valid.
    var fault: String? {
        switch true {
        case !(0...5000).contains(subscriptions): "--subscriptions must be from 0 to 5000"
        case !(1...100).contains(users): "--users must be from 1 to 100"
        case kinds.isEmpty: "--kinds must list at least one kind"
        // A user may have at most 1,000 subscriptions. Those to the private databases are distributed evenly over the
        // users.
        case subscriptions > users * 800: "--subscriptions must be at most 800 for each of --users"
        default: nil
        }
    }
}
