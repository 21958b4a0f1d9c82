/// The operations of one `records.modify` while the model executes it.
struct ModelBatch: Sendable {
    let operations: [ModelOperation]
    /// The service's items, because the service chooses names, change tags and links.
    let chosen: [ModelItem]
    /// See ``ModelMessage``.
    let device: String
    let isWeb: Bool
    let participant: String?
    /// The number of records that one request can move between shares.
    let moveLimit: Int

    /// The service's item for the operation at `index`, if there is one.
    func choice(_ index: Int) -> ModelItem? { chosen.indices.contains(index) ? chosen[index] : nil }

    /// Returns the records that the operation at `index` names and that must exist after it.
    ///
    /// - Parameter present: the record before the operation. References that a participant's save leaves as they were
    ///   are not checked.
    func needed(_ index: Int, present: ModelRecord?) -> Set<String> {
        let operation = operations[index]
        guard participant != nil else { return operation.needed(isWeb: isWeb) }
        var names: Set<String> = []
        for case (let field, let value?) in operation.fields where present?.fields[field] != value {
            if let name = value.target(.validate) ?? value.target(.deleteSelf) { names.insert(name) }
        }
        if case .set(let name) = operation.parent, present?.parent != name { names.insert(name) }
        return names
    }
}
