/// The results of the previous rounds, from which clients take old tokens, tags and messages.
struct ModelKnowledge: Sendable {
    /// The number of copies that are kept of each zone and of the database, including old ones.
    private static let maxCopies = 40

    var model = ReferenceModel()
    /// All messages so far.
    private(set) var messages: [ModelMessage] = []
    /// The copies by zone.
    private var copies: [String: [ZoneCopy]] = [:]
    private(set) var databases: [DatabaseCopy] = []
    private var tags: [String] = []

    /// Returns a copy from which to start reading. It is empty if `draw` is nil or if there is no other copy.
    func copy(of zone: String, _ draw: Int?) -> ZoneCopy {
        draw.flatMap { copies[zone]?.drawn($0) } ?? ZoneCopy(of: zone)
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

    /// Stores messages and their answers.
    mutating func remember(_ exchanges: [ModelExchange]) {
        messages += exchanges.map(\.message).filter { !$0.request.isRead }
        tags += exchanges.flatMap { $0.answer.items.compactMap(\.record?.tag) }
    }

    /// Stores copies of a zone.
    mutating func remember(_ new: [ZoneCopy], of zone: String, draw: Int) {
        copies[zone, default: []] += new
        while let count = copies[zone]?.count, count > Self.maxCopies { copies[zone]?.remove(at: draw % count) }
    }

    /// Stores a copy of the database.
    mutating func remember(_ new: DatabaseCopy, draw: Int) {
        databases.append(new)
        if databases.count > Self.maxCopies { databases.remove(at: draw % databases.count) }
    }
}
