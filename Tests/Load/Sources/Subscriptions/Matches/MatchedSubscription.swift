import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages
import TestGenerators

/// A subscription of a load, and the changes that match it.
///
/// Unlike the services, this type does not match with `CloudKitQuery`, because a defect in it would then remain
/// undetected.
struct MatchedSubscription: Sendable, Hashable {
    /// The kind of subscription.
    enum Kind: String, Sendable, CaseIterable, ExpressibleByArgument {
        /// A zone, or the records of a type in it.
        case zone
        /// A private database, or the records of a type in it.
        case database
        /// The records that match a query.
        case query
        /// The first record that matches a query.
        case once
    }

    /// A condition on the fields of a record.
    enum Test: Sendable, Hashable {
        case anything
        /// `word` has this value.
        case word(String)
        /// `word` begins with this prefix.
        case prefix(String)
        /// `n` has one of these values.
        case numbers(Range<Int64>)
        /// `word` has this value, and `n` one of these values.
        case both(String, Range<Int64>)
    }

    /// The id of the subscription.
    var id: String
    /// The kind of subscription.
    var kind: Kind
    /// The user's number in the plan.
    var user: Int
    /// The database's number in the plan.
    var database: Int
    /// The zone; nil for all zones of the database.
    var zone: Int?
    /// The type of the records; nil for any.
    var recordType: String?
    /// The condition on the records.
    var test = Test.anything
    /// The kinds of change that fire.
    var firesOn: Set<ChangedRecord.Kind> = [.created, .updated, .deleted]
    /// Whether the subscription is saved while the writers make changes.
    var isLate = false

    /// Returns whether `change` matches the subscription.
    func matches(_ change: MatchFacts) -> Bool {
        guard watches(change.place), recordType == nil || recordType == change.recordType,
            firesOn.contains(change.kind)
        else { return false }
        switch test {
        case .anything: return true
        case .word(let word): return change.word == word
        case .prefix(let prefix): return change.word.hasPrefix(prefix)
        case .numbers(let numbers): return numbers.contains(change.number)
        case .both(let word, let numbers): return change.word == word && numbers.contains(change.number)
        }
    }

    /// Returns whether changes in a zone can match the subscription.
    func watches(_ place: MatchPlan.Place) -> Bool {
        place.database == database && (zone == nil || zone == place.zone)
    }

    /// Whether the subscription sends a separate message for each matching record.
    var isQuery: Bool { kind == .query || kind == .once }

    /// Returns the subscription dictionary (web-services 3.8).
    func json(_ plan: MatchPlan) -> JSONValue {
        let zoneID = zone.map { zone -> JSONValue in
            ["zoneName": .string(plan.zoneName(MatchPlan.Place(database: database, zone: zone)))]
        }
        let type = recordType.map { JSONValue.string($0) }
        var members: [(String, JSONValue?)] = [("subscriptionID", .string(id)), ("zoneID", zoneID)]
        switch kind {
        case .zone, .database: members += [("subscriptionType", .string(kind.rawValue)), ("recordType", type)]
        case .query, .once:
            members += [
                ("subscriptionType", "query"),
                ("query", .object(having: [("recordType", type), ("filterBy", .array(test.filters))])),
                ("firesOn", .array(["create", "update", "delete"].filter { fires($0) }.map { .string($0) })),
                ("firesOnce", .bool(kind == .once)), ("zoneWide", .bool(zone == nil)),
            ]
        }
        // CloudKit refuses subscriptions without notification info.
        members.append(("notificationInfo", ["shouldSendContentAvailable": true]))
        return .object(having: members)
    }

    private func fires(_ word: String) -> Bool { firesOn.contains { $0.rawValue.hasPrefix(word) } }
}

extension MatchedSubscription.Test {
    /// The condition as filters.
    fileprivate var filters: [JSONValue] {
        switch self {
        case .anything: []
        case .word(let word): [Self.filter("word", "EQUALS", .string(word), "STRING")]
        case .prefix(let prefix): [Self.filter("word", "BEGINS_WITH", .string(prefix), "STRING")]
        case .numbers(let numbers):
            [
                Self.filter("n", "GREATER_THAN_OR_EQUALS", .int(numbers.lowerBound), "INT64"),
                Self.filter("n", "LESS_THAN", .int(numbers.upperBound), "INT64"),
            ]
        case .both(let word, let numbers): Self.word(word).filters + Self.numbers(numbers).filters
        }
    }

    private static func filter(_ field: String, _ comparator: String, _ value: JSONValue, _ type: String) -> JSONValue {
        [
            "comparator": .string(comparator), "fieldName": .string(field),
            "fieldValue": ["value": value, "type": .string(type)],
        ]
    }
}

extension MatchPlan {
    /// The subscriptions of the plan. They have the plan's kinds in turn, and are distributed over all databases. The
    /// same plan always yields the same subscriptions.
    var matchedSubscriptions: [MatchedSubscription] {
        var random = SeededGenerator(seed: seed &+ 77)
        return (0..<subscriptions).map { number in
            let kind = kinds[number % kinds.count]
            let round = number / kinds.count
            // The public database has no subscriptions to zones or to the whole database.
            let databases = kind == .query || kind == .once ? users + 1 : users
            let database = round % databases
            let zone = Int.random(in: 0..<(database == publicDatabase ? 1 : zonesPerUser), using: &random)
            var subscription = MatchedSubscription(
                id: "\(names.zonePrefix)-s\(number)", kind: kind,
                user: database == publicDatabase ? number % users : database, database: database, zone: zone)
            // The first subscriptions of each kind exist from the beginning.
            subscription.isLate = round % 3 == 2
            let type = MatchFacts.recordTypes.randomElement(using: &random)
            switch kind {
            case .zone: subscription.recordType = round % 3 == 1 ? type : nil
            case .database:
                subscription.zone = nil
                subscription.recordType = round % 3 == 1 ? type : nil
            case .query, .once:
                subscription.recordType = type
                if round % 2 == 0 { subscription.zone = nil }
                subscription.ask(round / 2, using: &random)
            }
            return subscription
        }
    }
}

extension MatchedSubscription {
    /// Chooses the condition of a query. Consecutive values of `form` select the forms in turn.
    fileprivate mutating func ask(_ form: Int, using random: inout SeededGenerator) {
        let word = MatchFacts.words.randomElement(using: &random) ?? ""
        let from = Int64.random(in: 0..<70, using: &random)
        let isOnce = kind == .once
        switch form % 6 {
        case 0: test = .word(word)
        case 1: (test, firesOn) = (.numbers(from..<(from + (isOnce ? 3 : 30))), [.created])
        case 2: (test, firesOn) = (.prefix(String(word.prefix(2))), [.updated, .deleted])
        case 3: (test, firesOn) = (.both(word, from..<(from + 30)), [.created, .updated, .deleted])
        case 4: (test, firesOn) = (isOnce ? .word(word) : .anything, [.deleted])
        default: (test, firesOn) = (.numbers(from..<(from + (isOnce ? 2 : 20))), [.created, .deleted])
        }
    }
}
