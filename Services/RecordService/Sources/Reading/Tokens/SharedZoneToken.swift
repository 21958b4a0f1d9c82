internal import CloudKitModel
internal import RecordStorage
internal import SignedTokens

/// The place up to which a participant has read the shared records of a zone. The token belongs to one user. It is
/// encrypted, because its numbers would otherwise reveal how much the rest of the zone changes.
struct SharedZoneToken: Sendable, Equatable {
    /// The first eight bytes of the store's incarnation, which changes when the store is restored.
    var store: UInt64
    /// The digest of the zone's address and the user.
    var address: UInt64
    /// The zone's row, which also identifies the zone's incarnation.
    var zone: Int64
    /// The place of the last record that was delivered.
    var position: SharedPosition
    /// See ``ZoneChangeToken/horizon``.
    var horizon: Int64

    private static let kind: UInt16 = 0x0105

    /// Returns the token in the form that clients receive.
    func sealed(with keys: SigningKeys) -> String {
        var writer = BinaryWriter()
        writer.append(store)
        writer.append(address)
        writer.append(zone)
        writer.append(horizon)
        writer.append(position.seq)
        writer.append(position.recordSeq)
        writer.append(position.name.rawValue)
        var token = BinaryWriter()
        token.append(Self.kind)
        return SealedToken.seal(token.bytes + (keys.encrypt(writer.bytes) ?? []), with: keys)
    }

    /// Reads a token created by ``sealed(with:)``; returns nil if the token is forged, damaged or of another kind.
    init?(opening token: String, with keys: SigningKeys) {
        guard let sealed = SealedToken.open(token, with: keys) else { return nil }
        var kind = BinaryReader(sealed)
        guard kind.read(UInt16.self) == Self.kind,
            let payload = keys.decrypt(Array(sealed.dropFirst(MemoryLayout<UInt16>.size)))
        else { return nil }
        var reader = BinaryReader(payload)
        guard let store: UInt64 = reader.read(),
            let address: UInt64 = reader.read(), let zone: Int64 = reader.read(), let horizon: Int64 = reader.read(),
            let seq: Int64 = reader.read(), let recordSeq: Int64 = reader.read(), let name = reader.readText(),
            reader.isAtEnd
        else { return nil }
        self.init(
            store: store, address: address, zone: zone,
            position: SharedPosition(seq: seq, recordSeq: recordSeq, name: RecordName(unchecked: name)),
            horizon: horizon)
    }

    /// Creates a token from its fields.
    init(store: UInt64, address: UInt64, zone: Int64, position: SharedPosition, horizon: Int64) {
        self.store = store
        self.address = address
        self.zone = zone
        self.position = position
        self.horizon = horizon
    }
}
