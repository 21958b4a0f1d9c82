/// A server-to-server key.
package struct ServerKey: Sendable, Hashable {
    /// The SHA-256 of the public key: 64 lower-case hexadecimal digits.
    package var id: String
    /// The public key in DER (SubjectPublicKeyInfo).
    package var publicKey: [UInt8]
    /// The user record name for requests that are signed with the key.
    package var userName: String

    /// Creates a key.
    package init(id: String, publicKey: [UInt8], userName: String) {
        self.id = id
        self.publicKey = publicKey
        self.userName = userName
    }
}

/// A server-to-server key as listed for operators.
package struct ServerKeyListing: Sendable {
    /// The SHA-256 of the public key: 64 lower-case hexadecimal digits.
    package var id: String
    /// The container and environment to which the key belongs.
    package var place: ContainerPlace
    /// The name that the operator gave to the key.
    package var name: String
    /// The user record name for requests that are signed with the key.
    package var userName: String
    /// The time at which the key was first registered, in milliseconds since 1970.
    package var createdAt: Int64
    /// The time at which the key was revoked, in milliseconds since 1970; nil for an active key.
    package var revokedAt: Int64?

    /// The position in the list.
    package var position: ListPosition { ListPosition(place, id: id) }
}
