/// The outcome of each operation on its own.
extension ModelZone {
    /// Returns the result of one operation on its own, by the table of web-services 3.11 and, for participants, by the
    /// rights of semantics 11.3.
    func item(_ index: Int, of batch: ModelBatch) -> ModelItem {
        let (operation, choice) = (batch.operations[index], batch.choice(index))
        let name = operation.name ?? choice?.name ?? ""
        // Only an operation that may find an existing record can omit the type.
        if operation.kind == .create, operation.type == nil { return .failed(name, .badRequest, server: nil) }
        var present = records[name]
        if let user = batch.participant {
            let membership = shape.membership()[name]
            if permission(of: user, in: membership) == .none { present = nil }
            guard isPermitted(operation, on: present, permission(of: user, in: membership), user, name) else {
                return .failed(name, .accessDenied, server: nil)
            }
        }
        guard let present else { return created(operation, name, choice, batch) }
        if operation.kind == .create { return .failed(name, .conflict, server: present) }
        // A save of a share must name the current tag.
        let isSavedShare = present.isShare && !operation.kind.isDelete
        let isStale = operation.tag.map { $0 != present.tag } ?? isSavedShare
        if isStale, operation.kind.comparesTag || isSavedShare { return .failed(name, .conflict, server: present) }
        if operation.kind.isDelete { return batch.participant != nil && present.isShare ? .left(name) : .deleted(name) }
        if let type = operation.type, type != present.type { return .failed(name, .badRequest, server: nil) }
        let kept = operation.kind.replaces ? nil : present
        var record = present
        record.tag = choice?.record?.tag ?? ModelRecord.unknownTag
        record.fields = (kept?.fields ?? [:]).merging(operation.fields.compactMapValues { $0 }) { $1 }
        for (field, value) in operation.fields where value == nil { record.fields[field] = nil }
        if batch.participant != nil, isRoot(name) {
            // The parent of a root is outside the share.
            if !keepsParent(operation, of: present) { return .failed(name, .accessDenied, server: nil) }
            let owners = Set(
                operation.fields.filter { present.fields[$0.key] != $0.value }.compactMap {
                    $0.value?.target(.deleteSelf)
                })
            if !owners.isEmpty { return .failed(name, .accessDenied, server: nil) }
        } else {
            record.parent = operation.parent.applied(to: kept?.parent)
        }
        record.modifier = batch.device
        return .saved(record)
    }

    private func created(
        _ operation: ModelOperation, _ name: String, _ choice: ModelItem?, _ batch: ModelBatch
    ) -> ModelItem {
        switch operation.kind {
        case .forceDelete: return .idle(name)
        case .update, .replace, .delete: return .failed(name, .notFound, server: nil)
        case .create, .forceUpdate, .forceReplace: break
        }
        guard let type = operation.type else { return .failed(name, .badRequest, server: nil) }
        return .saved(
            ModelRecord(
                name: name, type: type, tag: choice?.record?.tag ?? ModelRecord.unknownTag,
                fields: operation.fields.compactMapValues { $0 }, parent: operation.parent.applied(to: nil),
                creator: batch.device, modifier: batch.device))
    }

    /// Whether a participant may attempt an operation. The share of a saved record is checked later.
    ///
    /// - Parameter present: the record; nil if there is none that the participant sees.
    private func isPermitted(
        _ operation: ModelOperation, on present: ModelRecord?, _ permission: ModelShare.Permission, _ user: String,
        _ name: String
    ) -> Bool {
        guard let present else {
            if operation.kind.isDelete || operation.kind == .update || operation.kind == .replace { return true }
            guard records[name] == nil, access(of: user).values.contains(.readWrite) else { return false }
            if case .set = operation.parent { return true }
            return zoneShare != nil
        }
        if present.isShare { return operation.kind.isDelete }
        return permission == .readWrite && !(operation.kind.isDelete && isRoot(name))
    }

    private func keepsParent(_ operation: ModelOperation, of present: ModelRecord) -> Bool {
        switch operation.parent {
        case .absent: true
        case .clear: present.parent == nil
        case .set(let name): present.parent == name
        }
    }
}

extension ModelOperation.Parent {
    /// Returns the parent after the change.
    fileprivate func applied(to present: String?) -> String? {
        switch self {
        case .absent: present
        case .clear: nil
        case .set(let name): name
        }
    }
}

extension ModelItem {
    /// The name of the record.
    var name: String {
        switch self {
        case .saved(let record): record.name
        case .deleted(let name), .left(let name), .idle(let name), .failed(let name, _, _): name
        }
    }
}
