import CloudKitModel
import CloudKitQuery
import CloudKitWire
import ServiceMessages
import Testing

@testable import CommandLineSession
@testable import LoadGenerator

@Suite struct MatchChangeTests {
    @Test(arguments: [1, 2, 7, 200])
    func eachRecordIsMadeChangedAndDeletedOnceInThisOrderAndNeverTwiceInARequest(operations: Int) {
        var lives: [Int: [ChangedRecord.Kind]] = [:]
        var request: Set<Int> = []
        for number in 0..<(operations * 30) {
            if number % operations == 0 { request = [] }
            let change = MatchChange(writer: 3, number: number)
            let index = change.index(operations: operations)
            guard index >= 0 else { continue }
            let isNew = request.insert(index).inserted
            #expect(isNew)
            lives[index, default: []].append(change.kind)
            #expect(
                MatchChange(change.kind, of: change.record(operations: operations), operations: operations) == change)
        }
        #expect(lives[0] == [.created, .updated, .deleted])
        #expect(
            lives.values.allSatisfy { $0 == Array([ChangedRecord.Kind.created, .updated, .deleted].prefix($0.count)) })
    }

    @Test func aChangeAlwaysHasTheSameRecordAndADeletionTheRecordBeforeIt() {
        var plan = MatchPlan()
        plan.seed = 5
        let record = LoadNames.Record(slot: 2, index: 4)
        let facts = [ChangedRecord.Kind.created, .updated, .deleted].map {
            MatchFacts(MatchChange($0, of: record, operations: 1), plan)
        }
        #expect(facts[0] == MatchFacts(MatchChange(.created, of: record, operations: 1), plan))
        #expect(Set(facts.map(\.recordType)).count == 1)
        #expect(facts[1].word == facts[2].word)
        #expect(facts[1].number == facts[2].number)
        #expect(
            (0..<20).contains { index in
                let record = LoadNames.Record(slot: 2, index: index)
                return MatchFacts(MatchChange(.created, of: record, operations: 1), plan).number
                    != MatchFacts(MatchChange(.updated, of: record, operations: 1), plan).number
            })
    }

    @Test func everyPlaceHasWritersThatActForTheOwnerOfItsPrivateDatabase() {
        let plan = MatchPlan()
        #expect(Set((0..<plan.writers).map(plan.place)) == Set(plan.places))
        for writer in 0..<plan.writers {
            let database = plan.place(ofWriter: writer).database
            #expect(database == plan.publicDatabase || plan.user(ofWriter: writer) == database)
        }
        #expect(plan.zoneName(MatchPlan.Place(database: plan.publicDatabase, zone: 0)) == "_defaultZone")
        // All runs share the public database.
        let record = LoadNames.Record(slot: 1, index: 2)
        #expect(plan.names.record(record) != MatchPlan().names.record(record))
        #expect(plan.names.record(named: plan.names.record(record)) == record)
    }
}

@Suite struct WriterProgressTests {
    @Test func changesAreDistinguishedByTheirKnownFacts() {
        var progress = WriterProgress()
        let first = progress.begin(0, operations: 1)
        #expect(first == [MatchChange(writer: 0, number: 0)])
        #expect(progress.fate(first[0], operations: 1) == .underWay)
        progress.finish()
        #expect(progress.fate(first[0], operations: 1) == .done)
        #expect(progress.fate(MatchChange(writer: 0, number: 3), operations: 1) == .unsent)
        // No record exists yet that can be changed or deleted.
        let second = progress.begin(0, operations: 1)
        #expect(second == [MatchChange(writer: 0, number: 3)])
        #expect(progress.fate(MatchChange(writer: 0, number: 1), operations: 1) == .unsent)
    }

    @Test(arguments: [true, false])
    func aRecordWhoseChangeFailedIsLeftAloneAndTheChangeGetsItsOutcomeLater(isDone: Bool) {
        var progress = WriterProgress()
        let failed = progress.begin(0, operations: 1)[0]
        progress.fail([failed], operations: 1)
        #expect(progress.unknown == [0])
        #expect(progress.fate(failed, operations: 1) == .unknown)
        var indices: [Int] = []
        for _ in 0..<30 {
            indices += progress.begin(0, operations: 1).map { $0.index(operations: 1) }
            progress.finish()
        }
        #expect(!indices.contains(0))
        progress.resolve(failed.number, isDone: isDone, operations: 1)
        #expect(progress.unknown.isEmpty)
        #expect(progress.fate(failed, operations: 1) == (isDone ? .done : .unsent))
        let later = MatchChange(.updated, of: failed.record(operations: 1), operations: 1)
        #expect(progress.fate(later, operations: 1) == .unsent)
    }

    @Test func theOutcomeOfAChangeIsSeenInItsRecord() {
        #expect(MatchResolver.isDone(.created, step: 1))
        #expect(!MatchResolver.isDone(.created, step: nil))
        #expect(MatchResolver.isDone(.updated, step: 2))
        #expect(!MatchResolver.isDone(.updated, step: 1))
        #expect(MatchResolver.isDone(.deleted, step: nil))
        #expect(!MatchResolver.isDone(.deleted, step: 2))
    }
}

@Suite struct MatchedSubscriptionTests {
    private func facts(
        database: Int = 0, zone: Int = 0, _ kind: ChangedRecord.Kind = .created, type: String = "LoadNote",
        word: String = "apple", number: Int64 = 10
    ) -> MatchFacts {
        MatchFacts(
            place: MatchPlan.Place(database: database, zone: zone), kind: kind, recordType: type, word: word,
            number: number)
    }

    @Test func aZonesOrDatabasesSubscriptionMatchesByPlaceAndType() {
        var subscription = MatchedSubscription(id: "s", kind: .zone, user: 0, database: 0, zone: 0)
        #expect(subscription.matches(facts(.deleted)))
        #expect(!subscription.matches(facts(zone: 1)))
        #expect(!subscription.matches(facts(database: 1)))
        subscription.recordType = "LoadTask"
        #expect(!subscription.matches(facts()))
        #expect(subscription.matches(facts(type: "LoadTask")))
        subscription.zone = nil
        #expect(subscription.matches(facts(zone: 1, type: "LoadTask")))
        #expect(!subscription.matches(facts(database: 1, type: "LoadTask")))
    }

    @Test(
        arguments: [
            (.anything, true, true), (.word("apple"), true, false), (.prefix("ap"), true, true),
            (.prefix("apr"), false, true), (.numbers(5..<10), false, false), (.numbers(10..<11), true, false),
            (.both("apple", 10..<11), true, false), (.both("apple", 11..<12), false, false),
        ] as [(MatchedSubscription.Test, Bool, Bool)])
    func aQuerysSubscriptionMatchesByTheFieldsOfTheRecord(test: MatchedSubscription.Test, one: Bool, other: Bool) {
        var subscription = MatchedSubscription(
            id: "s", kind: .query, user: 0, database: 0, zone: nil, recordType: "LoadNote", test: test)
        #expect(subscription.matches(facts()) == one)
        #expect(subscription.matches(facts(word: "apricot", number: 20)) == other)
        subscription.firesOn = [.deleted]
        #expect(!subscription.matches(facts()))
        #expect(subscription.matches(facts(.deleted)) == one)
    }

    @Test func theOracleMatchesAsTheSavedSubscriptionAsksFor() throws {
        var plan = MatchPlan()
        (plan.subscriptions, plan.seed) = (60, 9)
        for subscription in plan.matchedSubscriptions where subscription.isQuery {
            let json = subscription.json(plan)
            let filters = try (json["query"]?["filterBy"]?.array ?? []).map {
                try Predicate(parsing: $0.encoded()).format.split(separator: " ").map(String.init)
            }
            for word in MatchFacts.words {
                for number in MatchFacts.numbers {
                    let isFound = filters.allSatisfy { Self.holds($0, word, number) }
                    let facts = MatchFacts(
                        place: MatchPlan.Place(database: subscription.database, zone: subscription.zone ?? 0),
                        kind: subscription.firesOn.first ?? .created, recordType: subscription.recordType ?? "",
                        word: word, number: number)
                    if isFound != subscription.matches(facts) { Issue.record("\(json.text) \(word) \(number)") }
                }
            }
        }
    }

    /// Returns whether a comparison of a load's query is true, given the parts of its text.
    private static func holds(_ parts: [String], _ word: String, _ number: Int64) -> Bool {
        let value = parts[2].filter { $0 != "'" }
        switch (parts[0], parts[1]) {
        case ("word", "=="): return word == value
        case ("word", "BEGINSWITH"): return word.hasPrefix(value)
        case ("n", ">="): return number >= Int64(value) ?? 0
        case ("n", "<"): return number < Int64(value) ?? 0
        default:
            Issue.record("\(parts)")
            return false
        }
    }

    @Test func allKindsAreSavedForAllUsersInAllDatabasesSomeAtTheBeginningAndSomeLater() {
        var plan = MatchPlan()
        plan.subscriptions = 80
        let subscriptions = plan.matchedSubscriptions
        #expect(Set(subscriptions.map(\.id)).count == 80)
        for kind in MatchedSubscription.Kind.allCases {
            let own = subscriptions.filter { $0.kind == kind }
            #expect(own.count == 20)
            #expect(Set(own.map(\.user)) == [0, 1, 2])
            #expect(own.contains(where: \.isLate) && !own.allSatisfy(\.isLate))
            #expect(own.contains { $0.database == plan.publicDatabase } == (kind == .query || kind == .once))
            #expect(own.allSatisfy { $0.database == plan.publicDatabase || $0.database == $0.user })
        }
        #expect(subscriptions == plan.matchedSubscriptions)
        plan.kinds = [.once]
        #expect(plan.matchedSubscriptions.allSatisfy { $0.kind == .once && $0.json(plan)["firesOnce"] == true })
    }

    @Test func aSubscriptionIsSavedInTheFormOfWebServices() {
        var plan = MatchPlan()
        plan.names.zonePrefix = "z"
        let zone = MatchedSubscription(id: "a", kind: .zone, user: 0, database: 0, zone: 2, recordType: "T")
        #expect(
            zone.json(plan).text
                == #"{"subscriptionID":"a","zoneID":{"zoneName":"z-2"},"subscriptionType":"zone","recordType":"T","notificationInfo":{"shouldSendContentAvailable":true}}"#
        )
        let once = MatchedSubscription(
            id: "b", kind: .once, user: 0, database: 0, zone: nil, recordType: "T", test: .prefix("ap"),
            firesOn: [.updated])
        #expect(
            once.json(plan).text
                == #"{"subscriptionID":"b","subscriptionType":"query","query":{"recordType":"T","filterBy":[{"comparator":"BEGINS_WITH","fieldName":"word","fieldValue":{"value":"ap","type":"STRING"}}]},"firesOn":["update"],"firesOnce":true,"zoneWide":true,"notificationInfo":{"shouldSendContentAvailable":true}}"#
        )
    }
}
