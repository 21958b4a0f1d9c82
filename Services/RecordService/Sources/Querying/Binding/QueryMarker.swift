package import SignedTokens

/// The place where a page of a query ended (`continuationMarker`): the sort keys, the name and the zone of its last
/// record. The next page begins after this place, regardless of changes in the meantime. The marker is opaque to
/// clients: it is the base64 encoding of these fields and a signature.
package struct QueryMarker: Sendable, Equatable {
    /// How long a marker is valid, in milliseconds.
    package static let life: Int64 = 24 * 3600 * 1000

    /// Sixteen bytes that identify the query: its database, zones, type, predicate and sorts.
    package var query: [UInt8]
    /// The time at which the marker was created, in milliseconds since 1970.
    package var issuedAt: Int64
    /// The place where the page ended.
    package var position: QueryPosition

    private static let kind: UInt16 = 0x0401
    private static let queryLength = 16

    /// Creates a marker from its fields.
    package init(query: [UInt8], issuedAt: Int64, position: QueryPosition) {
        self.query = query
        self.issuedAt = issuedAt
        self.position = position
    }

    /// Returns the marker in the form that clients receive. It is standard base64, because one client stops paging if
    /// the marker has any other form (web-services 2.3).
    package func sealed(with keys: SigningKeys) -> String {
        var writer = BinaryWriter()
        writer.append(Self.kind)
        writer.append(raw: query)
        writer.append(issuedAt)
        writer.append(position.zone)
        writer.append(position.name)
        writer.append(UInt8(position.keys.count))
        for key in position.keys { writer.append(key) }
        return SealedToken.seal(writer.bytes, with: keys)
    }

    /// Reads a marker created by ``sealed(with:)``; returns nil if the marker is forged, damaged or of another kind.
    package init?(opening token: String, with keys: SigningKeys) {
        guard let payload = SealedToken.open(token, with: keys) else { return nil }
        var reader = BinaryReader(payload)
        guard reader.read(UInt16.self) == Self.kind, let query = reader.readRaw(Self.queryLength),
            let issuedAt: Int64 = reader.read(), let zone: Int64 = reader.read(), let name = reader.readText(),
            let count: UInt8 = reader.read()
        else { return nil }
        var sortKeys: [String?] = []
        for _ in 0..<count {
            guard let key = reader.readOptionalText() else { return nil }
            sortKeys.append(key)
        }
        guard reader.isAtEnd else { return nil }
        self.init(
            query: query, issuedAt: issuedAt, position: QueryPosition(keys: sortKeys, name: name, zone: zone))
    }
}

/// A place in the order of a query.
package struct QueryPosition: Sendable, Equatable {
    /// The sort keys in PostgreSQL's text form; nil for a field that the record lacks.
    package var keys: [String?]
    /// The record's name.
    package var name: String
    /// The row of the record's zone.
    package var zone: Int64

    /// Creates a place from its parts.
    package init(keys: [String?], name: String, zone: Int64) {
        self.keys = keys
        self.name = name
        self.zone = zone
    }
}
