internal import CloudKitModel
internal import CloudKitSchema
internal import CloudKitWire
internal import RecordStorage
internal import ServiceMessages

/// Decides the outcome of one operation based on the current record (web-services 3.11). The planner checks the change
/// tag, type, fields, assets and size.
struct OperationPlanner {
    /// The result of planning an operation.
    enum Step {
        case planned(PlannedOperation)
        /// The schema must be extended first, for the record with this name.
        case needsSchema(SchemaAddition, name: RecordName)
        /// The record was too large to be read with this batch.
        case postponed
    }

    let request: WriteRequest
    let base: BatchPlanner
    private let rules: AccessRules
    /// What a participant may do; nil in the user's own database and in the public database.
    let rights: ShareAccess?

    init(request: WriteRequest, base: BatchPlanner) {
        self.request = request
        self.base = base
        let roles = base.schema.roles(request.context.user, request.zone.database.environment)
        rules = AccessRules(request.context, customRoles: roles)
        rights = base.access(of: request)
    }

    /// Plans the operation at `position`.
    func plan(_ position: Int) -> Step {
        let operation = request.body.operations[position]
        let identity = OperationIdentity(request: request.identity, position: position)
        do throws(Refusal) {
            return try plan(operation, identity: identity)
        } catch {
            let name = operation.record.recordName ?? error.name
            return .planned(.refused(Refusal(error.error, name: name, server: error.server)))
        }
    }

    private func plan(_ operation: WireOperation, identity: OperationIdentity) throws(Refusal) -> Step {
        if let error = operation.error { throw Refusal(error) }
        guard let kind = operation.kind else { throw Refusal(.missingKey("operationType")) }
        let wire = operation.record
        guard let name = wire.recordName ?? (kind.mayCreate ? identity.recordName(ofShare: wire.isShare) : nil) else {
            throw Refusal(.missingKey("recordName"))
        }
        let key = RecordKey(zone: request.zone.row, name: name)
        let stored = base.live(key)
        // Records that a participant may not see are treated as nonexistent.
        let current = visible(stored)
        if let rights { try permit(rights, kind, wire, name: name, stored: stored, current: current) }
        let isOmitted = current != nil && base.isOmitted(key)
        if isOmitted, kind == .update || kind == .forceUpdate || needsFields(kind, of: current) { return .postponed }
        // If a record is deleted, or is saved while it is pending deletion, its previous values are needed for the log.
        if base.lacksValue(key), current == nil ? kind.mayCreate : kind.isDelete { return .postponed }
        // No permission allows a share in such a zone, so this error comes first.
        if wire.isShare, !kind.isDelete { try checkPlace(ofShare: name) }
        let access = try permit(kind, wire: wire, name: name, current: current)
        let server = isOmitted || !access.showsCurrent ? nil : current
        if let done = try Self.verdict(
            kind, wire: wire, name: name, current: current, server: server, isImplicit: access.isImplicit,
            isSavedShare: !kind.isDelete && !wire.share.isOfVisitor && current.map(isShare) == true,
            wasDeleted: stored == nil && (base.records[key].map { rights?.couldSee($0) ?? true } ?? false))
        {
            return .planned(done)
        }
        if kind.isDelete, let current, rights != nil, isShare(current) {
            return .planned(leave(current, key: key, identity: identity))
        }
        if kind.isDelete, let current {
            let deletion = PlannedDeletion(key: key, record: current, changeTag: identity.changeTag)
            return .planned(.delete(deletion))
        }
        return try save(operation, kind, key: key, current: current, isOmitted: isOmitted, identity: identity)
    }

    /// Applies the ``AccessRules``.
    ///
    /// - Returns: whether a conflict is allowed to contain the current record, and whether the record is the user's
    ///   own user record, which exists even if it was never saved.
    private func permit(
        _ kind: RecordOperation.Kind, wire: WireRecord, name: RecordName, current: StoredRecord?
    ) throws(Refusal) -> (showsCurrent: Bool, isImplicit: Bool) {
        let environment = request.zone.database.environment
        let currentType = current.flatMap { base.schema.identified($0.type) }
        let isImplicit =
            current == nil && request.isInDefaultZone && rules.isOwnUserRecord(name)
            && [nil, RecordTypeDefinition.users.name].contains(wire.recordType)
        let typeName = wire.recordType ?? (isImplicit ? RecordTypeDefinition.users.name : currentType?.name ?? "")
        var denial: ServerError?
        if current == nil, kind.mayCreate, typeName == RecordTypeDefinition.users.name, !request.isInDefaultZone {
            // User records belong to users, not to the owner of the zone.
            denial = .notPermitted("CREATE", recordType: typeName)
        } else if kind == .create || (current == nil && kind.mayCreate) {
            denial = rules.denial(
                of: .create, base.schema.named(typeName, environment), typeName: typeName, name: name, creator: nil)
        } else if let current {
            denial = rules.denial(
                of: .write, currentType, typeName: currentType?.name ?? typeName, name: name,
                creator: current.created.user)
        }
        if let denial { throw Refusal(denial, name: name) }
        return (current.map { rules.shows($0, of: currentType) } ?? true, isImplicit)
    }

    /// Applies the table in web-services 3.11. Returns the plan for an operation that has nothing to do; nil if the
    /// operation is to be executed. Throws if the operation is refused.
    ///
    /// - Parameters:
    ///   - server: the record that a conflict contains; nil if its fields were not read or are not visible.
    ///   - isImplicit: whether the record exists although it was never saved, and can therefore be changed.
    ///   - wasDeleted: whether the record is known to have existed.
    private static func verdict(
        _ kind: RecordOperation.Kind, wire: WireRecord, name: RecordName, current: StoredRecord?, server: StoredRecord?,
        isImplicit: Bool, isSavedShare: Bool, wasDeleted: Bool
    ) throws(Refusal) -> PlannedOperation? {
        guard let current else {
            switch kind {
            case .create, .forceUpdate, .forceReplace: return nil
            case .update where isImplicit, .replace where isImplicit: return nil
            case .forceDelete: return .idle(name: name)
            case .update, .replace, .delete:
                throw Refusal(wasDeleted ? .recordDeleted(name) : .recordNotFound(name), name: name)
            }
        }
        if kind == .create { throw Refusal(.recordExists(name), name: name, server: server) }
        // Without a tag, the last writer wins (web-services 3.11 [R]); forced operations ignore the tag.
        let isStale = wire.recordChangeTag.map { $0 != current.changeTag } ?? isSavedShare
        if isStale, kind.checksTag || isSavedShare {
            throw Refusal(.staleChangeTag(name), name: name, server: server)
        }
        return nil
    }

    private func save(
        _ operation: WireOperation, _ kind: RecordOperation.Kind, key: RecordKey, current: StoredRecord?,
        isOmitted: Bool, identity: OperationIdentity
    ) throws(Refusal) -> Step {
        let wire = operation.record
        let (typeName, type) = try recordType(wire, kind, key: key, current: current)
        try checkSharing(wire, typeName: typeName, name: key.name)
        var changes: FieldChanges
        do throws(ServerError) {
            changes = try FieldChanges(
                wire.fields, typeName: typeName, type: type, zone: request.zone, isShared: request.isShared,
                numbersAsStrings: operation.numbersAsStrings ?? request.body.numbersAsStrings)
        } catch {
            throw Refusal(error, name: key.name)
        }
        guard changes.unknown.isEmpty, let type else {
            return .needsSchema(SchemaAddition(recordType: typeName, fields: changes.unknown), name: key.name)
        }
        if isOmitted, changes.hasUnprovenAssets { return .postponed }
        do throws(ServerError) {
            try changes.admitAssets(
                by: base.assets, type: type, present: current?.fields, zone: request.zone.address,
                savedBy: request.context.user, now: base.now)
        } catch {
            throw Refusal(error, name: key.name)
        }
        let fields = changes.applied(to: current?.fields, replacing: kind.replacesFields)
        let (size, largest) = fields.countedSize { type.fields[$0] }
        guard size <= base.limits.maxRecordBytes else {
            throw Refusal(
                .recordTooLarge(limit: base.limits.maxRecordBytes, actual: size, largest: largest), name: key.name)
        }
        if typeName == RecordTypeName.share.rawValue, let link = (changes.links + wire.parent.links).first {
            throw Refusal(.shareRefers(field: link.shownField), name: key.name)
        }
        let stamp = base.stamp(of: request)
        let parent =
            try rootParent(wire, of: current)
            ?? wire.parent.applied(to: current?.parent, replacing: kind.replacesFields)
        let record = StoredRecord(
            name: key.name, type: type.id, changeSeq: 0, changeTag: identity.changeTag, fields: fields,
            size: size + type.answeredAssetBytes(in: fields), parent: parent, created: current?.created ?? stamp,
            modified: stamp)
        let save = PlannedSave(
            key: key, type: type, record: record, current: current, isOmitted: isOmitted,
            changedKeys: changedKeys(wire, current: current, replacing: kind.replacesFields),
            links: type.links(in: fields, parent: parent), named: changes.links + wire.parent.links)
        try checkRoot(save)
        return .planned(.save(save))
    }

    func isShare(_ record: StoredRecord) -> Bool {
        base.schema.identified(record.type)?.name == RecordTypeName.share.rawValue
    }

    /// Checks that only shares contain the keys of shares, and that the zone can contain a share.
    private func checkSharing(_ wire: WireRecord, typeName: String, name: RecordName) throws(Refusal) {
        if let error = wire.shareKeyError(recordType: typeName) { throw Refusal(error, name: name) }
        if typeName == RecordTypeName.share.rawValue || wire.createShortGUID { try checkPlace(ofShare: name) }
    }

    /// Checks that the zone can contain a share.
    private func checkPlace(ofShare name: RecordName) throws(Refusal) {
        let address = request.zone.address
        guard address.scope != .public, !request.isInDefaultZone else {
            throw Refusal(.shareNotInDatabase(zone: address.zone, isPublic: address.scope == .public), name: name)
        }
    }

    private func recordType(
        _ wire: WireRecord, _ kind: RecordOperation.Kind, key: RecordKey, current: StoredRecord?
    ) throws(Refusal) -> (name: String, type: RecordTypeSchema?) {
        let currentType = current.flatMap { base.schema.identified($0.type) }
        // Only the user's own user record can be saved for the first time without a type.
        let implied = current == nil && !kind.mayCreate ? RecordTypeDefinition.users.name : nil
        guard let name = wire.recordType ?? currentType?.name ?? implied else {
            throw Refusal(.missingKey("recordType"), name: key.name)
        }
        if let currentType, name != currentType.name { throw Refusal(.recordTypeChanged(key.name), name: key.name) }
        // A save makes a hidden type visible again.
        let shown = currentType.flatMap { $0.isHidden ? nil : $0 }
        let type = shown ?? base.schema.named(name, request.zone.database.environment)
        if type == nil, request.zone.database.isProduction { throw Refusal(.typeNotInProduction(name), name: key.name) }
        return (name, type)
    }

    /// Returns the names of the fields that were set or cleared, including those that a replacement removed.
    private func changedKeys(_ wire: WireRecord, current: StoredRecord?, replacing: Bool) -> [String] {
        let named = wire.fields.map(\.name)
        guard replacing, let gone = current?.fields?.names.filter({ !named.contains($0) }) else { return named }
        return named + gone
    }
}

extension WireRecord.ParentChange {
    /// Returns the parent after the change.
    fileprivate func applied(to current: RecordName?, replacing: Bool) -> RecordName? {
        switch self {
        case .absent: replacing ? nil : current
        case .clear: nil
        case .set(let name): name
        }
    }

    /// The link to the parent, if one is set.
    var links: [RecordLink] {
        if case .set(let name) = self {
            [RecordLink(target: name, action: .parent, field: RecordLink.parentField)]
        } else {
            []
        }
    }
}

extension WireRecord {
    /// The links that the dictionary contains, regardless of the types in the schema.
    var links: [RecordLink] { fields.flatMap { $0.value?.links(of: $0.name) ?? [] } + parent.links }
}
