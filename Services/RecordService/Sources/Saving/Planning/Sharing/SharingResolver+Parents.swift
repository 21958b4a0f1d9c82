internal import CloudKitModel
internal import CloudKitWire
internal import RecordStorage

/// The rules for parents.
extension SharingResolver {
    /// Refuses saves that would make a share the parent of a record or the target of another reference, or that would
    /// make a record its own ancestor.
    mutating func refuseParents() {
        for position in plans.indices {
            guard case .save(let save) = plans[position] else { continue }
            if let parent = save.record.parent, isShare(key(parent)) {
                refuse(position, .parentIsShare(parent))
            } else if let link = save.named.first(where: { isShare(key($0.target)) }) {
                refuse(position, .targetIsShare(link.target, field: link.shownField))
            }
        }
        refuseCircles()
    }

    private func isShare(_ key: RecordKey) -> Bool {
        if let save = saved[key] { return save.isShare }
        guard let record = base.records[key] else { return base.graph.target(key)?.isShare == true }
        return base.schema.identified(record.type)?.name == RecordTypeName.share.rawValue
    }

    /// Refuses saves that would make a record its own ancestor.
    private mutating func refuseCircles() {
        for position in plans.indices {
            guard case .save(let save) = plans[position], let parent = save.record.parent,
                save.current?.parent != parent
            else { continue }
            var (above, visited): (RecordName?, Set<RecordName>) = (parent, [])
            while let name = above, visited.insert(name).inserted {
                if name == save.key.name {
                    refuse(position, .parentCircular(parent))
                    break
                }
                // Only records that the request saves can be below a new record.
                if base.records[save.key] == nil, saved[key(name)] == nil { break }
                guard let next = self.parent(of: key(name)) else { break }
                above = next
            }
        }
    }

    /// Returns the parent of a record after the request. The outer optional is nil if the parent must be read first.
    mutating func parent(of key: RecordKey) -> RecordName?? {
        if let save = saved[key] { return .some(save.record.parent) }
        if let record = base.records[key] { return .some(record.isTombstone ? nil : record.parent) }
        dependsOnReads = true
        if let ancestor = base.sharing.ancestry.records[key] { return .some(ancestor.parent) }
        missing.ancestors.insert(key)
        return nil
    }
}
