/// The results of the previous rounds, from which clients take old tokens, tags and messages.
struct ModelKnowledge: Sendable {
    /// The number of copies that are kept of each zone and of the database, including old ones.
    private static let maxCopies = 40

    var model = ReferenceModel()
    /// All messages so far.
    private(set) var messages: [ModelMessage] = []
    /// The copies by zone.
    private var copies: [String: [ZoneCopy]] = [:]
    /// The copies of the database, by reader.
    private var databases: [String: [DatabaseCopy]] = [:]
    private var tags: [String] = []
    /// The links of shares so far, by zone.
    private(set) var links: [String: [String]] = [:]

    /// Creates the knowledge before the first round.
    init(model: ReferenceModel = ReferenceModel()) { self.model = model }

    /// Returns a copy from which to start reading. It is empty if `draw` is nil or if there is no other copy.
    ///
    /// - Parameters:
    ///   - owner: the owner of the zone, if the reader is a participant.
    ///   - reader: the participant.
    func copy(of zone: String, owner: String? = nil, for reader: String = "", _ draw: Int?) -> ZoneCopy {
        draw.flatMap { copies[reader + zone]?.drawn($0) } ?? ZoneCopy(of: zone, owner: owner)
    }

    /// Returns a copy that reads `zone` with the token of another zone; nil if there is none.
    func foreignCopy(at zone: String, _ draw: Int) -> ZoneCopy? {
        let others = copies.filter { $0.key != zone }.sorted { $0.key < $1.key }.flatMap(\.value)
        return others.drawn(draw).map { ZoneCopy(of: zone, token: $0.token) }
    }

    /// Returns the draft with the change tag that it stands for.
    func complete(_ draft: ModelProgram.Draft, in zone: String) -> ModelOperation {
        var operation = draft.operation
        switch draft.tag {
        case .none: break
        case .present: operation.tag = model.records(of: zone)?[operation.name ?? ""]?.tag
        case .any(let draw): operation.tag = tags.drawn(draw) ?? "no-tag"
        }
        return operation
    }

    /// A change tag of this run, or one that no record has.
    func tag(_ draw: Int) -> String { tags.drawn(draw) ?? "no-tag" }

    /// Stores messages and their answers.
    mutating func remember(_ exchanges: [ModelExchange]) {
        messages += exchanges.map(\.message).filter { !$0.request.isRead }
        for exchange in exchanges {
            let records = exchange.answer.items.compactMap(\.record)
            tags += records.map(\.tag)
            links[exchange.message.request.zone, default: []] += records.compactMap(\.link)
        }
    }

    /// Stores copies of a zone. `reader` is the participant who read them; empty for the owner.
    mutating func remember(_ new: [ZoneCopy], of zone: String, for reader: String = "", draw: Int) {
        let key = reader + zone
        copies[key, default: []] += new
        while let count = copies[key]?.count, count > Self.maxCopies { copies[key]?.remove(at: draw % count) }
    }

    /// The copies of the database that a reader may continue. `reader` is a participant; empty for the owner.
    func databases(of reader: String = "") -> [DatabaseCopy] { databases[reader] ?? [] }

    /// Stores a copy of the database.
    mutating func remember(_ new: DatabaseCopy, for reader: String = "", draw: Int) {
        databases[reader, default: []].append(new)
        if let count = databases[reader]?.count, count > Self.maxCopies {
            databases[reader]?.remove(at: draw % count)
        }
    }
}
