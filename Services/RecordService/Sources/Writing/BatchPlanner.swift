package import CloudKitModel
internal import CloudKitSchema
internal import CloudKitWire
package import ServiceMessages

/// Decides every operation of a batch in memory, against what was read under the zone locks. A value: nothing here
/// touches the database, so every rule of `records/modify` (web-services 3.11) is tested without one.
package struct BatchPlanner {
    /// What became of one request.
    package enum Decision: Sendable {
        /// Decided; its effects are in ``records`` and ``changes``.
        case decided(WriteOutcome)
        /// The schema has to learn something first; nothing was changed.
        case needsSchema([SchemaAddition])
        /// A record it needs was too large to be read with this batch; nothing was changed.
        case postponed
    }

    /// The newest state of every record read or written.
    package private(set) var records: [RecordKey: StoredRecord]
    /// The records that the batch changed.
    package private(set) var changed: Set<RecordKey> = []
    /// Those of them whose assets may be others now.
    package private(set) var assetsChanged: Set<RecordKey> = []
    /// The zones' counters.
    package private(set) var counters: [ZoneRow: Int64]

    private let omitted: Set<RecordKey>
    private let assets: AssetAdmission
    private let schema: SchemaView
    private let limits: Limits
    private let now: Int64

    /// What the planner asks of the schema.
    package struct SchemaView: Sendable {
        /// A type by name.
        package var named: @Sendable (String, EnvironmentRow) -> RecordTypeSchema?
        /// A type by row.
        package var identified: @Sendable (RecordTypeID) -> RecordTypeSchema?
        /// The custom roles of a user.
        package var roles: @Sendable (String, EnvironmentRow) -> Set<String>

        /// A view of those look-ups.
        package init(
            named: @escaping @Sendable (String, EnvironmentRow) -> RecordTypeSchema?,
            identified: @escaping @Sendable (RecordTypeID) -> RecordTypeSchema?,
            roles: @escaping @Sendable (String, EnvironmentRow) -> Set<String> = { _, _ in [] }
        ) {
            self.named = named
            self.identified = identified
            self.roles = roles
        }
    }

    /// A planner over what was read.
    ///
    /// - Parameters:
    ///   - counters: the locked zones' counters.
    ///   - records: the records that the requests name, tombstones included.
    ///   - omitted: those whose fields were left out because the batch would have grown too large.
    ///   - assets: which assets may be saved.
    ///   - now: milliseconds since 1970.
    package init(
        counters: [ZoneRow: Int64], records: [RecordKey: StoredRecord], omitted: Set<RecordKey>, schema: SchemaView,
        assets: AssetAdmission, limits: Limits, now: Int64
    ) {
        self.counters = counters
        self.records = records
        self.omitted = omitted
        self.schema = schema
        self.assets = assets
        self.limits = limits
        self.now = now
    }

    /// Decides `request`, laying its effects over those of the requests before it.
    ///
    /// - Returns: the decision and the changes to be logged, in order.
    package mutating func decide(_ request: WriteRequest) -> (Decision, [ChangedRecord]) {
        var staged = StagedRequest(request: request, seq: counters[request.zone.row] ?? 0)
        for position in request.body.operations.indices {
            staged.decide(position, base: self)
            if staged.isPostponed { return (.postponed, []) }
        }
        if !staged.additions.isEmpty { return (.needsSchema(staged.additions), []) }
        let failures = staged.outcomes.count { $0.isFailure }
        if request.isAtomic, failures > 0 {
            let outcomes = staged.outcomes.map { outcome -> OperationOutcome in
                if case .failed = outcome { return outcome }
                return .failed(.atomicFailure(), name: outcome.name, server: nil)
            }
            return (.decided(WriteOutcome(operations: outcomes, isAtomicFailure: true)), [])
        }
        for (key, record) in staged.overlay {
            records[key] = record
            changed.insert(key)
        }
        assetsChanged.formUnion(staged.assetsChanged)
        counters[request.zone.row] = staged.seq
        return (.decided(WriteOutcome(operations: staged.outcomes, isAtomicFailure: false)), staged.changes)
    }

    /// One request in the making: its effects become the planner's only when all is well.
    private struct StagedRequest {
        let request: WriteRequest
        var seq: Int64
        var overlay: [RecordKey: StoredRecord] = [:]
        var outcomes: [OperationOutcome] = []
        var changes: [ChangedRecord] = []
        var assetsChanged: [RecordKey] = []
        var additions: [SchemaAddition] = []
        var isPostponed = false

        mutating func decide(_ position: Int, base: BatchPlanner) {
            let operation = request.body.operations[position]
            let identity = OperationIdentity(
                user: request.context.user, messageID: request.messageID, position: position)
            do throws(Refusal) {
                try apply(operation, identity: identity, base: base)
            } catch {
                outcomes.append(
                    .failed(error.error, name: operation.record.recordName ?? error.name, server: error.server))
            }
        }

        private mutating func apply(_ operation: WireOperation, identity: OperationIdentity, base: BatchPlanner)
            throws(Refusal)
        {
            if let error = operation.error { throw Refusal(error) }
            guard let kind = operation.kind else {
                throw Refusal(
                    .badRequest("operation_type_unknown", "The operation has no type", field: "operationType"))
            }
            let wire = operation.record
            guard let name = wire.recordName ?? (kind.mayCreate ? identity.recordName : nil) else {
                throw Refusal(.missingKey("recordName"))
            }
            let key = RecordKey(zone: request.zone.row, name: name)
            let known = overlay[key] ?? base.records[key]
            let current = known.flatMap { $0.isTombstone ? nil : $0 }
            let needsFields = kind == .update || kind == .forceUpdate
            let isOmitted = current != nil && base.omitted.contains(key) && overlay[key] == nil
            if needsFields, isOmitted {
                isPostponed = true
                return
            }
            let access = try permit(kind, wire: wire, name: name, current: current, base: base)
            let server = isOmitted || !access.showsCurrent ? nil : current
            if let outcome = try Self.verdict(
                kind, wire: wire, name: name, current: current, server: server, isImplicit: access.isImplicit)
            {
                outcomes.append(outcome)
                return
            }
            if kind.isDelete, let current {
                delete(current, isOmitted: isOmitted, key: key, identity: identity, base: base)
            } else {
                try save(
                    operation, kind: kind, key: key, current: current, isOmitted: isOmitted, identity: identity,
                    base: base)
            }
        }

        /// Asks the ``AccessRules``.
        ///
        /// - Returns: whether a conflict may tell the record as it is, and whether the record is the user's own user
        ///   record, which exists without having been made.
        private func permit(
            _ kind: RecordOperation.Kind, wire: WireRecord, name: String, current: StoredRecord?, base: BatchPlanner
        ) throws(Refusal) -> (showsCurrent: Bool, isImplicit: Bool) {
            let environment = request.zone.database.environment
            let rules = AccessRules(
                request.context, customRoles: base.schema.roles(request.context.user, environment))
            let currentType = current.flatMap { base.schema.identified($0.type) }
            let isImplicit =
                current == nil && request.isInDefaultZone && rules.isOwnUserRecord(name)
                && [nil, RecordTypeDefinition.users.name].contains(wire.recordType)
            let typeName = wire.recordType ?? (isImplicit ? RecordTypeDefinition.users.name : currentType?.name ?? "")
            var denial: ServerError?
            if kind == .create || (current == nil && kind.mayCreate) {
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

        /// The table of web-services 3.11: refuses, answers without an effect, or lets the operation through (nil).
        ///
        /// - Parameters:
        ///   - server: what a conflict carries; nil when its fields were too many to be read, or are not to be seen.
        ///   - isImplicit: whether the record exists without having been made, and may be changed.
        private static func verdict(
            _ kind: RecordOperation.Kind, wire: WireRecord, name: String, current: StoredRecord?,
            server: StoredRecord?, isImplicit: Bool
        ) throws(Refusal) -> OperationOutcome? {
            guard let current else {
                switch kind {
                case .create, .forceUpdate, .forceReplace: return nil
                case .update where isImplicit, .replace where isImplicit: return nil
                case .forceDelete: return .deleted(name: name)
                case .update, .replace, .delete: throw Refusal(.recordNotFound(name), name: name)
                }
            }
            if kind == .create { throw Refusal(.recordExists(name), name: name, server: server) }
            // A missing tag is "the last writer wins" (web-services 3.11 [R]); a forced kind ignores it.
            if kind.checksTag, let tag = wire.recordChangeTag, tag != current.changeTag {
                throw Refusal(.staleChangeTag(name), name: name, server: server)
            }
            return nil
        }

        private mutating func delete(
            _ current: StoredRecord, isOmitted: Bool, key: RecordKey, identity: OperationIdentity, base: BatchPlanner
        ) {
            seq += 1
            var tombstone = current
            tombstone.fields = nil
            tombstone.size = 0
            tombstone.parent = nil
            tombstone.changeSeq = seq
            tombstone.changeTag = identity.changeTag
            tombstone.modified = stamp(base)
            overlay[key] = tombstone
            outcomes.append(.deleted(name: key.name))
            let type = base.schema.identified(current.type)
            changes.append(
                ChangedRecord(
                    name: key.name, type: type?.name ?? "", seq: seq, kind: .deleted,
                    droppedAssets: dropAssets(of: key, type: type, from: current, isOmitted: isOmitted, to: nil)))
        }

        private mutating func save(
            _ operation: WireOperation, kind: RecordOperation.Kind, key: RecordKey, current: StoredRecord?,
            isOmitted: Bool, identity: OperationIdentity, base: BatchPlanner
        ) throws(Refusal) {
            let wire = operation.record
            let environment = request.zone.database.environment
            let currentType = current.flatMap { base.schema.identified($0.type) }
            // Only users' own records may be saved without a type and without being there.
            guard
                let typeName = wire.recordType ?? currentType?.name
                    ?? (current == nil && !kind.mayCreate ? RecordTypeDefinition.users.name : nil)
            else { throw Refusal(.missingKey("recordType"), name: key.name) }
            if let currentType, typeName != currentType.name {
                throw Refusal(.recordTypeChanged(key.name), name: key.name)
            }
            // A hidden type is learnt again.
            let type = currentType.flatMap { $0.isHidden ? nil : $0 } ?? base.schema.named(typeName, environment)
            if type == nil, request.zone.database.isProduction {
                throw Refusal(.typeNotInProduction(typeName), name: key.name)
            }
            var changes: FieldChanges
            do throws(ServerError) {
                changes = try FieldChanges(
                    wire.fields, typeName: typeName, type: type, zone: request.zone,
                    numbersAsStrings: operation.numbersAsStrings ?? request.body.numbersAsStrings)
            } catch {
                throw Refusal(error, name: key.name)
            }
            guard changes.unknown.isEmpty, let type else {
                additions.append(SchemaAddition(recordType: typeName, fields: changes.unknown))
                outcomes.append(.deleted(name: key.name))  // never seen: the request is decided again
                return
            }
            if isOmitted, changes.hasUnprovenAssets {
                isPostponed = true
                return
            }
            do throws(ServerError) {
                try changes.admitAssets(
                    by: base.assets, type: type, present: current?.fields, zone: request.zone.address, now: base.now)
            } catch {
                throw Refusal(error, name: key.name)
            }
            let fields = changes.applied(to: current?.fields, replacing: kind.replacesFields)
            let (size, largest) = fields.countedSize { type.fields[$0] }
            guard size <= base.limits.maxRecordBytes else {
                throw Refusal(
                    .recordTooLarge(limit: base.limits.maxRecordBytes, actual: size, largest: largest), name: key.name)
            }
            seq += 1
            let stamp = stamp(base)
            let record = StoredRecord(
                name: key.name, type: type.id, changeSeq: seq, changeTag: identity.changeTag, fields: fields,
                size: size + type.answeredAssetBytes(in: fields),
                parent: parent(wire.parent, current: current, replacing: kind.replacesFields),
                created: current?.created ?? stamp, modified: stamp)
            overlay[key] = record
            outcomes.append(.saved(record))
            self.changes.append(
                ChangedRecord(
                    name: key.name, type: typeName, seq: seq, kind: current == nil ? .created : .updated,
                    changedKeys: changedKeys(wire, current: current, replacing: kind.replacesFields),
                    droppedAssets: dropAssets(
                        of: key, type: type, from: current, isOmitted: isOmitted, to: fields)))
        }

        /// Marks the record when its assets may have changed.
        ///
        /// - Returns: the checksums that it dropped; none when its fields were not read, since the asset service's sweep
        ///   finds those.
        private mutating func dropAssets(
            of key: RecordKey, type: RecordTypeSchema?, from current: StoredRecord?, isOmitted: Bool,
            to fields: StoredFields?
        ) -> [String] {
            if isOmitted {
                // Whatever the type: a field that another instance has learnt is remembered only when it is read.
                assetsChanged.append(key)
                return []
            }
            let before = current?.fields
            guard let type, type.assetFields.contains(where: { before?.raw($0) != fields?.raw($0) }) else { return [] }
            assetsChanged.append(key)
            return type.droppedAssets(from: before, to: fields)
        }

        /// The fields that were set or cleared, also those that a replacement took away.
        private func changedKeys(_ wire: WireRecord, current: StoredRecord?, replacing: Bool) -> [String] {
            let named = wire.fields.map(\.name)
            guard replacing, let gone = current?.fields?.names.filter({ !named.contains($0) }) else { return named }
            return named + gone
        }

        private func parent(_ change: WireRecord.ParentChange, current: StoredRecord?, replacing: Bool) -> String? {
            switch change {
            case .absent: replacing ? nil : current?.parent
            case .clear: nil
            case .set(let name): name
            }
        }

        private func stamp(_ base: BatchPlanner) -> StoredRecord.Stamp {
            StoredRecord.Stamp(
                milliseconds: base.now, user: request.context.user, device: request.context.client ?? "2")
        }
    }

    /// Why one operation was refused.
    private struct Refusal: Error {
        let error: ServerError
        let name: String?
        let server: StoredRecord?

        init(_ error: ServerError, name: String? = nil, server: StoredRecord? = nil) {
            self.error = error
            self.name = name
            self.server = server
        }
    }
}

extension OperationOutcome {
    /// The record's name, when there is one.
    package var name: String? {
        switch self {
        case .saved(let record): record.name
        case .deleted(let name): name
        case .failed(_, let name, _): name
        }
    }
}
