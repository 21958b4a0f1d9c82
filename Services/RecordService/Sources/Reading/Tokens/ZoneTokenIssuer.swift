package import RecordStorage
package import ServiceMessages
package import SignedTokens

/// Issues sync tokens for zones.
package struct ZoneTokenIssuer: Sendable {
    /// The keys of ``SigningKeys/Purpose/syncToken``.
    let keys: SigningKeys
    private let incarnation: StoreIncarnation

    /// Creates an issuer for the store with `incarnation`.
    package init(keys: SigningKeys, incarnation: StoreIncarnation) {
        self.keys = keys
        self.incarnation = incarnation
    }

    /// The first eight bytes of the store's incarnation. Tokens contain this value.
    var store: UInt64 { incarnation.value }

    /// Returns an issuer whose incarnation does not change. A request that began under the previous incarnation must
    /// not return a token for the new one, because that token would hide the loss of changes.
    func pinned() -> ZoneTokenIssuer { ZoneTokenIssuer(keys: keys, incarnation: StoreIncarnation(store)) }

    /// Returns a token for a zone.
    package func token(
        row: ZoneRow, address: ZoneAddress, position: Int64, horizon: Int64,
        descent: ZoneChangeToken.Descent? = nil
    ) -> String {
        ZoneChangeToken(
            store: incarnation.value, address: AddressDigest.zone(address), zone: row.rawValue,
            position: position, horizon: horizon, descent: descent
        ).sealed(with: keys)
    }

    /// Returns a token for another user's zone. `reader` has received every change up to `position`.
    ///
    /// - Parameter isWhole: whether the zone is shared as a whole.
    func token(
        row: ZoneRow, address: ZoneAddress, reader: String, isWhole: Bool, reached position: Int64
    ) -> String {
        let address = AddressDigest.zone(address, for: reader)
        guard isWhole else {
            return SharedZoneToken(
                store: incarnation.value, address: address, zone: row.rawValue, position: .end(of: position),
                horizon: position
            ).sealed(with: keys)
        }
        return ZoneChangeToken(
            store: incarnation.value, address: address, zone: row.rawValue, position: position, horizon: position
        ).sealed(with: keys)
    }

    /// Returns the token for a consumer that has received every change up to `position`.
    package func token(row: ZoneRow, address: ZoneAddress, reached position: Int64) -> String {
        token(row: row, address: address, position: position, horizon: position)
    }
}
