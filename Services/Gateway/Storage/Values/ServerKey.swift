/// A server-to-server key.
package struct ServerKey: Sendable, Hashable {
    /// 64 lower-case hexadecimal digits.
    package var id: String
    /// The public half: DER, SubjectPublicKeyInfo.
    package var publicKey: [UInt8]
    /// The user record name of requests that are signed with the key.
    package var userName: String

    /// A key.
    package init(id: String, publicKey: [UInt8], userName: String) {
        self.id = id
        self.publicKey = publicKey
        self.userName = userName
    }
}

/// A server-to-server key in the operators' list.
package struct ServerKeyListing: Sendable {
    /// 64 lower-case hexadecimal digits.
    package var id: String
    /// The environment that it is a key of.
    package var place: ContainerPlace
    /// The operator's name for it.
    package var name: String
    /// The user record name of requests that are signed with the key.
    package var userName: String
    /// Milliseconds since 1970.
    package var createdAt: Int64
    /// Milliseconds since 1970; nil: it is active.
    package var revokedAt: Int64?

    /// Its position in the list.
    package var position: ListPosition { ListPosition(place, id: id) }
}
