internal import CloudKitModel
internal import CloudKitQuery
internal import CloudKitWire

/// What the record service makes of a subscription's query (`interests.set`): from its answer on the values of the type's
/// records are in the change log.
struct QueryInterest: Sendable, Equatable {
    /// The predicate in its canonical format.
    var predicate: String
    /// Whether the user may read own records of the type only.
    var ownOnly: Bool
    /// The rights by which that was decided; nil: they do not matter.
    var rights: Int64?
    /// The equality that every match meets.
    var term: EqualityTerm

    /// What it makes of a query.
    init(predicate: String, ownOnly: Bool, rights: Int64?, term: EqualityTerm) {
        self.predicate = predicate
        self.ownOnly = ownOnly
        self.rights = rights
        self.term = term
    }

    /// Reads an item of the answer to `interests.set`.
    ///
    /// - Throws: the item's error.
    init(_ json: JSONValue, rights: Int64?, user: String) throws(ServerError) {
        if json["serverErrorCode"] != nil {
            // An error's keys are the same in every reply.
            var writer = WireWriter()
            writer.value(json)
            throw try WireReply(decoding: writer.bytes).error ?? .internalError()
        }
        guard let predicate = json["predicate"]?.string else { throw .missingKey("predicate") }
        guard let tree = try? Predicate(format: predicate, now: 0) else { throw .internalError() }
        self.init(
            predicate: predicate, ownOnly: json["ownOnly"]?.bool ?? false, rights: rights,
            term: EqualityTerm(of: tree, user: user))
    }
}
