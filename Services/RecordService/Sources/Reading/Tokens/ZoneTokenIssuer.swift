package import ServiceMessages
package import SignedTokens

/// Hands out sync tokens of zones.
package struct ZoneTokenIssuer: Sendable {
    private let keys: SigningKeys
    private let incarnation: StoreIncarnation

    /// An issuer for that store.
    package init(keys: SigningKeys, incarnation: StoreIncarnation) {
        self.keys = keys
        self.incarnation = incarnation
    }

    /// A token for a zone.
    package func token(
        row: ZoneRow, address: ZoneAddress, position: Int64, horizon: Int64,
        descent: ZoneChangeToken.Descent? = nil
    ) -> String {
        ZoneChangeToken(
            store: incarnation.value, address: AddressDigest.zone(address), zone: row.rawValue,
            position: position, horizon: horizon, descent: descent
        ).sealed(with: keys)
    }

    /// The token of a consumer that has heard of every change up to `position`.
    package func token(row: ZoneRow, address: ZoneAddress, reached position: Int64) -> String {
        token(row: row, address: address, position: position, horizon: position)
    }
}
