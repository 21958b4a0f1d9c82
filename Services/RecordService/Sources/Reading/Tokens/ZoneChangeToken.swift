package import SignedTokens

/// How far a client has walked a zone (CKServerChangeToken of a zone, `syncToken` of `changes/zone`). Opaque outside:
/// base64 of these fields and a signature.
package struct ZoneChangeToken: Sendable, Equatable {
    /// A walk from the newest change backwards, under way: it has met everything from `next` on up to `ceiling`, and goes
    /// on towards the token's position. At its end the position is the ceiling, as if the walk had gone forwards.
    package struct Descent: Sendable, Equatable {
        /// The newest change when the walk began.
        package var ceiling: Int64
        /// The last change delivered: those below it are to come.
        package var next: Int64
    }

    /// The first eight bytes of the store's incarnation; another one after a restore.
    package var store: UInt64
    /// Eight bytes that name the zone by its address: a token of another zone is told from an expired one.
    package var address: UInt64
    /// The zone's row, that is its incarnation.
    package var zone: Int64
    /// The last change delivered.
    package var position: Int64
    /// The zone's counter when the walk from nothing began, later the greater of position and old horizon. The token
    /// is expired once tombstones above it are purged: a long first walk does not expire at its second page for ever.
    package var horizon: Int64
    /// Set between the pages of a walk from the newest change backwards.
    package var descent: Descent?

    private static let kind: UInt16 = 0x0101

    /// A token of the given fields.
    package init(
        store: UInt64, address: UInt64, zone: Int64, position: Int64, horizon: Int64, descent: Descent? = nil
    ) {
        self.store = store
        self.address = address
        self.zone = zone
        self.position = position
        self.horizon = horizon
        self.descent = descent
    }

    /// The token as clients see it.
    package func sealed(with keys: SigningKeys) -> String {
        var writer = BinaryWriter()
        writer.append(Self.kind)
        writer.append(store)
        writer.append(address)
        writer.append(zone)
        writer.append(position)
        writer.append(horizon)
        if let descent {
            writer.append(descent.ceiling)
            writer.append(descent.next)
        }
        return SealedToken.seal(writer.bytes, with: keys)
    }

    /// Reads what ``sealed(with:)`` made; nil when it is forged, damaged or of another kind.
    package init?(opening token: String, with keys: SigningKeys) {
        guard let payload = SealedToken.open(token, with: keys) else { return nil }
        var reader = BinaryReader(payload)
        guard reader.read(UInt16.self) == Self.kind, let store: UInt64 = reader.read(),
            let address: UInt64 = reader.read(), let zone: Int64 = reader.read(),
            let position: Int64 = reader.read(), let horizon: Int64 = reader.read()
        else { return nil }
        self.init(store: store, address: address, zone: zone, position: position, horizon: horizon)
        guard !reader.isAtEnd else { return }
        guard let ceiling: Int64 = reader.read(), let next: Int64 = reader.read(), reader.isAtEnd else { return nil }
        descent = Descent(ceiling: ceiling, next: next)
    }
}
