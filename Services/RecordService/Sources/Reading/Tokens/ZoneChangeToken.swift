package import SignedTokens

/// The place up to which a client has read a zone's feed (CKServerChangeToken of a zone, `syncToken` of
/// `changes/zone`). The token is opaque to clients: it is the base64 encoding of these fields and a signature.
package struct ZoneChangeToken: Sendable, Equatable {
    /// An unfinished backward walk from the newest change. It has delivered the changes from `next` to `ceiling`, and
    /// continues towards the token's position. At its end, the ceiling becomes the position, as if the walk had gone
    /// forwards.
    package struct Descent: Sendable, Equatable {
        /// The number of the newest change when the walk began.
        package var ceiling: Int64
        /// The number of the last change that was delivered. The changes with lower numbers are delivered next.
        package var next: Int64
    }

    /// The first eight bytes of the store's incarnation, which changes when the store is restored.
    package var store: UInt64
    /// The digest of the zone's address. It distinguishes a token for another zone from an expired token.
    package var address: UInt64
    /// The zone's row, which also identifies the zone's incarnation.
    package var zone: Int64
    /// The number of the last change that was delivered.
    package var position: Int64
    /// The number of the zone's last change at the beginning of a walk that began without a token; later, the greater
    /// of the position and the previous horizon. The token has expired if tombstones above the horizon have been
    /// purged. Without the horizon, a long first walk could expire at its second page.
    package var horizon: Int64
    /// The state of an unfinished backward walk; nil if there is none.
    package var descent: Descent?

    private static let kind: UInt16 = 0x0101

    /// Creates a token from its fields.
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

    /// Returns the token in the form that clients receive.
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

    /// Reads a token created by ``sealed(with:)``; returns nil if the token is forged, damaged or of another kind.
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
