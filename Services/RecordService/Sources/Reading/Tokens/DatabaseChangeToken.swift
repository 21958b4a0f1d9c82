package import SignedTokens

/// The place up to which a client has read the changed zones of a database (`syncToken` of `changes/database`). It is a
/// PostgreSQL snapshot: changes that are not visible in the snapshot were made later. A change can be reported twice,
/// but is never omitted.
package struct DatabaseChangeToken: Sendable, Equatable {
    /// A place in a listing that spans several pages, all of which use the snapshot of the first page.
    package struct Page: Sendable, Equatable {
        /// The snapshot of the listing's first page. The token after the last page contains it.
        package var snapshot: String
        /// The transaction that changed the last zone listed.
        package var afterXID: UInt64
        /// The row of the last zone listed.
        package var afterZone: Int64
    }

    /// See ``ZoneChangeToken/store``.
    package var store: UInt64
    /// The digest of the database's address. With it, a token for another database can be told apart from a token for a
    /// database that was deleted and recreated.
    package var address: UInt64
    /// The row of the database.
    package var database: Int64
    /// The `pg_current_snapshot()` up to which the client has received all changes; nil if it has received none.
    package var since: String?
    /// The place in an unfinished listing; nil if the listing is complete.
    package var page: Page?

    private static let kind: UInt16 = 0x0103

    /// Creates a token from its fields.
    package init(store: UInt64, address: UInt64, database: Int64, since: String?, page: Page?) {
        self.store = store
        self.address = address
        self.database = database
        self.since = since
        self.page = page
    }

    /// Returns the token in the form that clients receive.
    package func sealed(with keys: SigningKeys) -> String {
        var writer = BinaryWriter()
        writer.append(Self.kind)
        writer.append(store)
        writer.append(address)
        writer.append(database)
        writer.append(since ?? "")
        writer.append(page?.snapshot ?? "")
        if let page {
            writer.append(page.afterXID)
            writer.append(page.afterZone)
        }
        return SealedToken.seal(writer.bytes, with: keys)
    }

    /// Reads a token created by ``sealed(with:)``; returns nil if the token is forged, damaged or of another kind.
    package init?(opening token: String, with keys: SigningKeys) {
        guard let payload = SealedToken.open(token, with: keys) else { return nil }
        var reader = BinaryReader(payload)
        guard reader.read(UInt16.self) == Self.kind, let store: UInt64 = reader.read(),
            let address: UInt64 = reader.read(), let database: Int64 = reader.read(), let since = reader.readText(),
            let snapshot = reader.readText()
        else { return nil }
        self.init(
            store: store, address: address, database: database, since: since.isEmpty ? nil : since, page: nil)
        if !snapshot.isEmpty {
            guard let xid: UInt64 = reader.read(), let zone: Int64 = reader.read() else { return nil }
            page = Page(snapshot: snapshot, afterXID: xid, afterZone: zone)
        }
        guard reader.isAtEnd else { return nil }
    }
}
