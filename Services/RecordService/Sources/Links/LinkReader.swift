internal import CloudKitModel
internal import CloudKitWire
internal import PostgresClient
internal import RecordStorage
internal import ServiceMessages

/// Finds the shares to which links lead, and reads what the user may see of them.
struct LinkReader: Sendable {
    let pool: PostgresPool
    let directory: ZoneDirectory
    let reader: ZoneReader

    /// A share that the user may see.
    struct Found: Sendable {
        let zone: ZoneAddress
        let schema: SchemaSnapshot
        let share: StoredRecord
        let sharing: StoredSharing
        let rootName: RecordName?
        /// The root; nil if it was not requested or is too large.
        let root: StoredRecord?
        let standing: ShareStanding
    }

    /// A zone that contains shares.
    private struct Place: Hashable {
        let owner: String
        let zone: ZoneName
    }

    /// Returns the user of a request.
    ///
    /// - Throws: `AUTHENTICATION_REQUIRED` if no user is signed in.
    static func caller(_ context: RequestContext) throws(ServerError) -> ShareCaller {
        guard context.user != RequestContext.world else {
            throw ServerError(.authenticationRequired, "request needs authorization", field: Header.user)
        }
        return ShareCaller(user: context.user, email: context.email)
    }

    /// Returns the context for finding the zone of a share: the private database of the share's owner.
    static func context(of target: LinkTable.Target, _ context: RequestContext) -> RequestContext {
        var context = context
        context.scope = .private
        context.user = target.owner
        return context
    }

    /// Returns the live shares to which `items` lead, keyed by link, with what determines what the user may do. Takes
    /// one round trip.
    ///
    /// - Throws: `container_not_found` or `PostgresError`.
    func targets(
        _ items: [ShortGUIDsRequest.Item], of caller: ShareCaller, _ intent: ShareVisitor.Intent,
        for context: RequestContext
    ) async throws -> [String: LinkTable.Target] {
        let links = Set(items.map(\.value).filter(ShareLink.isValid))
        guard !links.isEmpty else { return [:] }
        let environment = try await directory.environment(for: context).row
        let results = try await pool.withConnection {
            try await $0.pipeline([LinkTable.find(links.sorted(), for: caller, intent, in: environment)])
        }
        return LinkTable.targets(results[0])
    }

    /// Reads the shares to which `items` lead. Takes one round trip, plus one for each zone that contains a share that the
    /// user may see. A link that is not for the user is answered after the first round trip, as an unknown link is.
    ///
    /// - Returns: the share or an error for each item. The error is the same if the link is unknown, the share has
    ///   ended, or the user has no access.
    /// - Throws: the same errors as ``caller(_:)``, ``targets(_:of:_:for:)`` and ``ZoneReader``.
    func read(
        _ items: [ShortGUIDsRequest.Item], for context: RequestContext
    ) async throws -> [Result<Found, ServerError>] {
        let caller = try Self.caller(context)
        let targets = try await targets(items, of: caller, .other, for: context)
        let wanted = Set(items.lazy.filter(\.fetchesRoot).map(\.value))
        var found: [String: Result<Found, ServerError>] = targets.compactMapValues { target in
            target.standing(of: caller).denial.map(Result.failure)
        }
        let open = targets.filter { found[$0.key] == nil }
        var bytes = 0
        for (_, links) in Dictionary(grouping: open, by: { Place(owner: $0.value.owner, zone: $0.value.zone) }) {
            guard let any = links.first?.value else { continue }
            // The size limit for the records of one read applies to all zones together.
            guard bytes <= RecordTable.maxBytesRead else {
                for (link, _) in links { found[link] = .failure(.replyTooLarge(RecordTable.maxBytesRead)) }
                continue
            }
            let names = links.map(\.value.share.name) + links.compactMap(\.value.share.root)
            let snapshot = try await reader.read(
                any.zone, for: Self.context(of: any, context), createDatabase: false
            ) { zone, _ in
                [RecordTable(zone.database.environment).read(names.map { RecordKey(zone: zone.row, name: $0) })]
            }
            guard let snapshot else { continue }
            var records: [RecordName: StoredRecord] = [:]
            for record in try await reader.visible(snapshot) where !record.isTombstone { records[record.name] = record }
            for (link, target) in links {
                let outcome = Self.found(
                    target, link: link, in: snapshot, records, caller: caller, withRoot: wanted.contains(link))
                if case .success(let share) = outcome { bytes += share.share.size + (share.root?.size ?? 0) }
                found[link] = outcome
            }
        }
        return items.map { found[$0.value] ?? .failure(.shareLinkUnknown()) }
    }

    /// Returns the live share that a record belongs to.
    private static func share(of record: StoredRecord) -> ShareID? {
        record.membership.flatMap { $0.isEnded ? nil : $0.share }
    }

    private static func found(
        _ target: LinkTable.Target, link: String, in snapshot: ZoneSnapshot, _ records: [RecordName: StoredRecord],
        caller: ShareCaller, withRoot: Bool
    ) -> Result<Found, ServerError> {
        let omitted = Set(snapshot.omitted)
        let (name, rootName) = (target.share.name, target.share.root)
        if omitted.contains(name) { return .failure(.replyTooLarge(RecordTable.maxBytesRead)) }
        guard let share = records[name], let sharing = share.sharing, !sharing.isRoot,
            target.entrance != .link || sharing.link == link,
            rootName.map({ root in
                records[root].map { Self.share(of: $0) == Self.share(of: share) } ?? omitted.contains(root)
            }) != false
        else { return .failure(.shareLinkUnknown()) }
        let standing = ShareStanding(
            of: caller, among: sharing.participants, publicPermission: sharing.publicPermission,
            requests: sharing.requests, through: target.entrance)
        if let denial = standing.denial { return .failure(denial) }
        var root = withRoot ? rootName.flatMap { records[$0] } : nil
        if let type = root?.type, snapshot.schema.type(type)?.isHidden != false { root = nil }
        return .success(
            Found(
                zone: snapshot.zone.address, schema: snapshot.schema, share: share, sharing: sharing,
                rootName: rootName, root: root, standing: standing))
    }
}
