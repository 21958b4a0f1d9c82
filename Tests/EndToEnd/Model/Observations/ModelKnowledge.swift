/// What the rounds before have left: what clients draw old tokens, tags and messages from.
struct ModelKnowledge: Sendable {
    /// So many copies are kept of each zone and of the database, old ones among them.
    private static let maxCopies = 40

    var model = ReferenceModel()
    /// Every message so far.
    private(set) var messages: [ModelMessage] = []
    /// By zone.
    private var copies: [String: [ZoneCopy]] = [:]
    private(set) var databases: [DatabaseCopy] = []
    private var tags: [String] = []

    /// A copy to start reading from; of one who knows nothing without a draw, or when there is no other.
    func copy(of zone: String, _ draw: Int?) -> ZoneCopy {
        draw.flatMap { copies[zone]?.drawn($0) } ?? ZoneCopy(of: zone)
    }

    /// A copy that asks `zone` with the token of another zone; nil when there is none.
    func foreignCopy(at zone: String, _ draw: Int) -> ZoneCopy? {
        let others = copies.filter { $0.key != zone }.sorted { $0.key < $1.key }.flatMap(\.value)
        return others.drawn(draw).map { ZoneCopy(of: zone, token: $0.token) }
    }

    /// The draft with the change tag that it means.
    func complete(_ draft: ModelProgram.Draft, in zone: String) -> ModelOperation {
        var operation = draft.operation
        switch draft.tag {
        case .none: break
        case .present: operation.tag = model.records(of: zone)?[operation.name ?? ""]?.tag
        case .any(let draw): operation.tag = tags.drawn(draw) ?? "no-tag"
        }
        return operation
    }

    /// Keeps what was sent and answered.
    mutating func remember(_ exchanges: [ModelExchange]) {
        messages += exchanges.map(\.message).filter { !$0.request.isRead }
        tags += exchanges.flatMap { $0.answer.items.compactMap(\.record?.tag) }
    }

    /// Keeps copies of a zone.
    mutating func remember(_ new: [ZoneCopy], of zone: String, draw: Int) {
        copies[zone, default: []] += new
        while let count = copies[zone]?.count, count > Self.maxCopies { copies[zone]?.remove(at: draw % count) }
    }

    /// Keeps a copy of the database.
    mutating func remember(_ new: DatabaseCopy, draw: Int) {
        databases.append(new)
        if databases.count > Self.maxCopies { databases.remove(at: draw % databases.count) }
    }
}
