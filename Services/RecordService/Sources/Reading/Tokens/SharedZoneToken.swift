internal import CloudKitModel
internal import RecordStorage
internal import SignedTokens

/// The place up to which a participant has read the shared records of a zone. The token belongs to one user. It is
/// encrypted, because its numbers would otherwise reveal how much the rest of the zone changes.
struct SharedZoneToken: Sendable, Equatable {
    /// An unfinished backward walk, as in ``ZoneChangeToken/Descent``.
    struct Descent: Sendable, Equatable {
        /// The number of the newest change when the walk began.
        var ceiling: Int64
        /// The place of the last record that was delivered. The records before it are delivered next.
        var next: SharedPosition
    }

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
    /// The state of an unfinished backward walk; nil if there is none.
    var descent: Descent?

    private static let kind: UInt16 = 0x0105

    /// Returns the token in the form that clients receive.
    func sealed(with keys: SigningKeys) -> String {
        var writer = BinaryWriter()
        writer.append(store)
        writer.append(address)
        writer.append(zone)
        writer.append(horizon)
        writer.append(position)
        if let descent {
            writer.append(descent.ceiling)
            writer.append(descent.next)
        }
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
            let position = reader.readPosition()
        else { return nil }
        self.init(store: store, address: address, zone: zone, position: position, horizon: horizon)
        guard !reader.isAtEnd else { return }
        guard let ceiling: Int64 = reader.read(), let next = reader.readPosition(), reader.isAtEnd else { return nil }
        descent = Descent(ceiling: ceiling, next: next)
    }

    /// Creates a token from its fields.
    init(
        store: UInt64, address: UInt64, zone: Int64, position: SharedPosition, horizon: Int64, descent: Descent? = nil
    ) {
        self.store = store
        self.address = address
        self.zone = zone
        self.position = position
        self.horizon = horizon
        self.descent = descent
    }
}

extension BinaryWriter {
    fileprivate mutating func append(_ position: SharedPosition) {
        append(position.seq)
        append(position.recordSeq)
        append(position.name.rawValue)
    }
}

extension BinaryReader {
    fileprivate mutating func readPosition() -> SharedPosition? {
        guard let seq: Int64 = read(), let recordSeq: Int64 = read(), let name = readText() else { return nil }
        return SharedPosition(seq: seq, recordSeq: recordSeq, name: RecordName(unchecked: name))
    }
}
