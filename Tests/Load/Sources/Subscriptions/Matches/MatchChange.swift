import ServiceMessages
import TestGenerators

/// A change that a writer makes. It is determined by the writer's number and its own, so nothing has to be stored about
/// a change whose notification has arrived.
///
/// A writer makes its changes one after the other, and their kinds alternate: it creates a record, updates an earlier
/// one, and deletes an even earlier one.
struct MatchChange: Hashable, Sendable {
    /// The writer.
    var writer: Int
    /// The number of the change.
    var number: Int

    private static let kinds: [ChangedRecord.Kind] = [.created, .updated, .deleted]

    /// The kind of change.
    var kind: ChangedRecord.Kind { Self.kinds[number % 3] }

    /// Returns the writer's number of the changed record; negative if no such record exists yet.
    ///
    /// - Parameter operations: the number of changes in a request, all of which must be to different records.
    func index(operations: Int) -> Int { number / 3 - number % 3 * Self.lag(operations) }

    /// Returns the changed record.
    func record(operations: Int) -> LoadNames.Record {
        LoadNames.Record(slot: writer, index: index(operations: operations))
    }

    /// Creates a change of a writer.
    init(writer: Int, number: Int) {
        self.writer = writer
        self.number = number
    }

    /// Creates the change of the given kind to a record.
    init(_ kind: ChangedRecord.Kind, of record: LoadNames.Record, operations: Int) {
        let phase = Self.kinds.firstIndex(of: kind) ?? 0
        self.init(writer: record.slot, number: (record.index + phase * Self.lag(operations)) * 3 + phase)
    }

    /// Returns the number of records that are created between two changes of the same record.
    private static func lag(_ operations: Int) -> Int { max(2, operations) }
}

/// The properties of a change that a subscription can match.
struct MatchFacts: Hashable, Sendable {
    /// The zone of the change.
    var place: MatchPlan.Place
    /// The kind of change.
    var kind: ChangedRecord.Kind
    /// The record's type.
    var recordType: String
    /// The value of the field `word` after the change, or before it for a deletion.
    var word: String
    /// The value of the field `n` after the change, or before it for a deletion.
    var number: Int64

    /// The types of the records.
    static let recordTypes = ["LoadNote", "LoadTask"]
    /// The values of the field `word`.
    static let words = ["apple", "apricot", "banana", "blackberry", "blueberry", "cherry", "damson", "elderberry"]
    /// The values of the field `n`.
    static let numbers: Range<Int64> = 0..<100

    /// Returns the value of the field `step` after the record's creation (1) or update (2). The last value before a
    /// deletion is 2.
    static func step(_ kind: ChangedRecord.Kind) -> Int64 { kind == .created ? 1 : 2 }

    /// Creates the properties of `change`, which the plan's seed determines.
    init(_ change: MatchChange, _ plan: MatchPlan) {
        place = plan.place(ofWriter: change.writer)
        kind = change.kind
        let record = change.record(operations: plan.operations)
        var random = Self.generator(plan.seed, record, step: 0)
        recordType = Self.recordTypes[Int(random.next() % UInt64(Self.recordTypes.count))]
        random = Self.generator(plan.seed, record, step: Self.step(kind))
        word = Self.words[Int(random.next() % UInt64(Self.words.count))]
        number = Int64(random.next() % UInt64(Self.numbers.count))
    }

    /// Creates properties for tests.
    init(place: MatchPlan.Place, kind: ChangedRecord.Kind, recordType: String, word: String, number: Int64) {
        self.place = place
        self.kind = kind
        self.recordType = recordType
        self.word = word
        self.number = number
    }

    private static func generator(_ seed: UInt64, _ record: LoadNames.Record, step: Int64) -> SeededGenerator {
        var random = SeededGenerator(
            seed: seed &+ UInt64(truncatingIfNeeded: record.slot) &* 0x2545_F491_4F6C_DD1D
                &+ UInt64(truncatingIfNeeded: record.index) &* 0x9E6C_63D0_876A_3F35
                &+ UInt64(truncatingIfNeeded: step) &* 0xD1B5_4A32_D192_ED03)
        _ = random.next()
        return random
    }
}
