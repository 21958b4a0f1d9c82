import CloudKitModel
import CommandLineSession
import FoundationEssentials

/// What the part of a load is to do that checks saved subscriptions of all kinds: writers save records in databases of
/// their own, and for each change is known whom it has to be told.
struct MatchPlan: Sendable {
    /// Subscriptions to save and check; 0 is none of all this.
    var subscriptions = 50
    /// The kinds of them, taken in turns.
    var kinds = MatchedSubscription.Kind.allCases
    /// Users, each with a private database; they share the public one.
    var users = 3
    /// Record zones in each private database.
    var zonesPerUser = 3
    /// For how long changes are begun.
    var duration: Duration = .seconds(20)
    /// How many requests a writer makes at most, whatever the duration; nil is any number.
    var requestsPerWriter: Int?
    /// Changes in one request, all of one zone.
    var operations = 1
    /// Requests per second over all writers; 0 is as many as are answered.
    var rate = 0.0
    /// The maximum wait for the last notifications.
    var settle: Duration = .seconds(30)
    /// Determines the sequence of operations.
    var seed: UInt64 = 0
    /// How long one request is repeated before its outcome counts as unknown.
    var requestLimit: Duration = .seconds(60)
    /// Names that no other run has, of records too: all runs share the public database.
    var names = Self.newNames()
    /// The users' names; new ones, so that nothing of other runs is met.
    var userNames: [String] = []

    /// Zones in which one request at a time is under way hide what happens between two.
    private static let writersPerPlace = 2

    /// A zone of a database.
    struct Place: Hashable, Sendable {
        /// The user of a private database; past the last one, the public database.
        var database: Int
        /// The zone's number; the public database has one.
        var zone: Int
    }

    /// The number of the public database.
    var publicDatabase: Int { users }

    /// Every zone that is written to.
    var places: [Place] {
        (0..<users).flatMap { user in (0..<zonesPerUser).map { Place(database: user, zone: $0) } }
            + [Place(database: publicDatabase, zone: 0)]
    }

    /// How many writers there are.
    var writers: Int { places.count * Self.writersPerPlace }

    /// Where a writer writes.
    func place(ofWriter writer: Int) -> Place {
        let places = users * zonesPerUser + 1
        let place = writer % places
        return place == places - 1
            ? Place(database: publicDatabase, zone: 0)
            : Place(database: place / zonesPerUser, zone: place % zonesPerUser)
    }

    /// Who writes: the private database's user, in the public one the users in turns.
    func user(ofWriter writer: Int) -> Int {
        let database = place(ofWriter: writer).database
        return database == publicDatabase ? writer % users : database
    }

    /// The name of a zone.
    func zoneName(_ place: Place) -> String {
        place.database == publicDatabase ? ZoneName.defaultZone.rawValue : names.zone(place.zone)
    }

    /// The scope of a request of `user` in a database of the load.
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

    /// `count` names of users that nobody has.
    static func newUserNames(_ count: Int) -> [String] {
        (0..<count).map { _ in "_" + UUID().uuidString.lowercased().filter { $0 != "-" } }
    }

    /// The error if a number is invalid; nil if all are valid.
    var fault: String? {
        switch true {
        case !(0...5000).contains(subscriptions): "--subscriptions must be from 0 to 5000"
        case !(1...100).contains(users): "--users must be from 1 to 100"
        case kinds.isEmpty: "--kinds must list at least one kind"
        // A user has at most 1,000, and those of the private databases are spread evenly.
        case subscriptions > users * 800: "--subscriptions must be at most 800 for each of --users"
        default: nil
        }
    }
}
