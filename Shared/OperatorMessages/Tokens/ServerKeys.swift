package import ServiceMessages

/// `serverKeys.add`: registers the public key of a server-to-server key.
package struct ServerKeyAddRequest: OperatorRequest {
    package typealias Answer = ServerKeyStatus
    package static let operation = ServiceMessages.Operation.serverKeysAdd

    /// The container.
    package var container: String
    /// `development` or `production`.
    package var environment: String
    /// The name shown in lists, 1 to 255 bytes.
    package var name: String
    /// The public P-256 key in PEM format.
    package var publicKey: String

    /// Creates a request.
    package init(container: String, environment: String, name: String, publicKey: String) {
        self.container = container
        self.environment = environment
        self.name = name
        self.publicKey = publicKey
    }
}

/// `serverKeys.list`: lists the keys, including revoked ones.
package struct ServerKeyListRequest: OperatorListRequest {
    package static let operation = ServiceMessages.Operation.serverKeysList

    /// The container; nil for all containers.
    package var container: String?
    /// The environment; nil for both environments.
    package var environment: String?
    /// The `after` of the preceding page; nil for the first page.
    package var after: String?
    /// The length of a page, from 1 to 1,000; nil means 200.
    package var limit: Int?

    /// Creates a request.
    package init(container: String? = nil, environment: String? = nil, after: String? = nil, limit: Int? = nil) {
        self.container = container
        self.environment = environment
        self.after = after
        self.limit = limit
    }

    /// A page of keys.
    package struct Answer: OperatorPage, Codable, Sendable {
        /// The keys.
        package var serverKeys: [ServerKeyStatus]
        /// The position at which the next page begins; nil for the last page.
        package var after: String?

        /// Creates an answer.
        package init(serverKeys: [ServerKeyStatus], after: String?) {
            self.serverKeys = serverKeys
            self.after = after
        }
    }
}

/// `serverKeys.revoke`: revokes a key in an environment of a container.
package struct ServerKeyRevokeRequest: OperatorRequest {
    package static let operation = ServiceMessages.Operation.serverKeysRevoke

    /// The container.
    package var container: String
    /// `development` or `production`.
    package var environment: String
    /// The key's id.
    package var keyID: String

    /// Creates a request.
    package init(container: String, environment: String, keyID: String) {
        self.container = container
        self.environment = environment
        self.keyID = keyID
    }

    /// The result.
    package struct Answer: Codable, Sendable {
        /// The key's id in lower case.
        package var keyID: String
        /// The container.
        package var container: String
        /// `development` or `production`.
        package var environment: String
        /// Whether the key was active.
        package var revoked: Bool

        /// Creates an answer.
        package init(keyID: String, container: String, environment: String, revoked: Bool) {
            self.keyID = keyID
            self.container = container
            self.environment = environment
            self.revoked = revoked
        }
    }
}

/// A registered key. Times are in milliseconds since 1970.
package struct ServerKeyStatus: Codable, Sendable, Equatable {
    /// The key's id: the SHA-256 of its DER encoding, in hexadecimal digits.
    package var keyID: String
    /// The container.
    package var container: String
    /// `development` or `production`.
    package var environment: String
    /// The name.
    package var name: String
    /// The record name of the key's user. Requests that are signed with the key act on this user's behalf.
    package var userRecordName: String
    /// The time at which the key was registered.
    package var created: Int64
    /// The time at which the key was revoked; nil for an active key.
    package var revokedAt: Int64?

    /// Creates a key.
    package init(
        keyID: String, container: String, environment: String, name: String, userRecordName: String, created: Int64,
        revokedAt: Int64? = nil
    ) {
        self.keyID = keyID
        self.container = container
        self.environment = environment
        self.name = name
        self.userRecordName = userRecordName
        self.created = created
        self.revokedAt = revokedAt
    }
}
