import ServiceMessages
import TestGenerators

/// One change that a writer makes, by the writer's number and the change's among the writer's: the same two give the same
/// change, so that nothing has to be kept of changes that were told.
///
/// Three in turns: a record is made, an earlier one changed, a still earlier one deleted. Each writer makes its
/// changes one after the other.
struct MatchChange: Hashable, Sendable {
    /// The writer.
    var writer: Int
    /// Its change.
    var number: Int

    private static let kinds: [ChangedRecord.Kind] = [.created, .updated, .deleted]

    /// What happens to the record.
    var kind: ChangedRecord.Kind { Self.kinds[number % 3] }

    /// The record of a writer to which that happens, below 0 when there is none yet.
    ///
    /// - Parameter operations: changes in a request, none of which may be of the same record as another.
    func index(operations: Int) -> Int { number / 3 - number % 3 * Self.lag(operations) }

    /// The record to which it happens.
    func record(operations: Int) -> LoadNames.Record {
        LoadNames.Record(slot: writer, index: index(operations: operations))
    }

    /// A writer's change of that number.
    init(writer: Int, number: Int) {
        self.writer = writer
        self.number = number
    }

    /// The change by which `kind` happens to `record`.
    init(_ kind: ChangedRecord.Kind, of record: LoadNames.Record, operations: Int) {
        let phase = Self.kinds.firstIndex(of: kind) ?? 0
        self.init(writer: record.slot, number: (record.index + phase * Self.lag(operations)) * 3 + phase)
    }

    /// How many records are made between two changes of one.
    private static func lag(_ operations: Int) -> Int { max(2, operations) }
}

/// What a subscription may ask about a change.
struct MatchFacts: Hashable, Sendable {
    /// Where it happened.
    var place: MatchPlan.Place
    /// What happened.
    var kind: ChangedRecord.Kind
    /// The record's type.
    var recordType: String
    /// The field `word`: after the change, or before a deletion.
    var word: String
    /// The field `n`, likewise.
    var number: Int64

    /// The types of the records.
    static let recordTypes = ["LoadNote", "LoadTask"]
    /// The values of the field `word`.
    static let words = ["apple", "apricot", "banana", "blackberry", "blueberry", "cherry", "damson", "elderberry"]
    /// The values of the field `n`.
    static let numbers: Range<Int64> = 0..<100

    /// The step of its life in which a change leaves a record, which its field `step` tells. A deletion leaves the
    /// second behind.
    static func step(_ kind: ChangedRecord.Kind) -> Int64 { kind == .created ? 1 : 2 }

    /// What `change` is about, decided by the plan's seed.
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

    /// Facts as they are, for tests.
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
