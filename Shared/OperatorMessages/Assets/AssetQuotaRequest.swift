internal import CloudKitModel
package import CloudKitWire
package import ServiceMessages

/// `assets.quota`: sets the quotas of a container.
package struct AssetQuotaRequest: OperatorRequest {
    package static let operation = ServiceMessages.Operation.assetsQuota
    package static let wrongKinds = WrongKinds.ignored

    /// The container.
    package var container: String
    /// The container's new quota; nil leaves the quota unchanged.
    package var containerQuota: Quota?
    /// The new quota for each user's private database; nil leaves the quota unchanged.
    package var userQuota: Quota?

    /// Creates a request.
    package init(container: String, containerQuota: Quota?, userQuota: Quota?) {
        self.container = container
        self.containerQuota = containerQuota
        self.userQuota = userQuota
    }

    /// Encodes the request. A quota that is nil is encoded as null.
    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(container, forKey: .container)
        try members.encode(containerQuota, forKey: .containerQuota)
        try members.encode(userQuota, forKey: .userQuota)
    }

    /// The resulting quotas in bytes; nil means no quota.
    package struct Answer: Codable, Sendable {
        /// The container.
        package var container: String
        /// The container's quota.
        package var containerQuota: Int64?
        /// The quota for each user's private database.
        package var userQuota: Int64?

        /// Creates an answer.
        package init(container: String, containerQuota: Int64?, userQuota: Int64?) {
            self.container = container
            self.containerQuota = containerQuota
            self.userQuota = userQuota
        }
    }

    /// A new quota: a number of bytes, `"none"`, or `"default"`.
    package enum Quota: Codable, Sendable, Equatable {
        /// A number of bytes, 0 or more.
        case bytes(Int64)
        /// No quota.
        case unlimited
        /// The default quota from the asset service's settings.
        case standard

        /// Reads a quota from JSON; returns nil for an invalid value.
        package init?(_ json: JSONValue) {
            switch json {
            case "none": self = .unlimited
            case "default": self = .standard
            case .int(let bytes) where bytes >= 0: self = .bytes(bytes)
            default: return nil
            }
        }

        /// Reads a quota.
        ///
        /// - Throws: `wrong_kind` for an invalid value.
        package init(from decoder: any Decoder) throws {
            guard let quota = Quota(try decoder.singleValueContainer().decode(JSONValue.self)) else {
                throw ServerError.wrongKind(
                    decoder.codingPath.last?.stringValue ?? "quota", expected: "a number of bytes, 'none' or 'default'")
            }
            self = quota
        }

        /// Encodes the quota as JSON.
        package func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .bytes(let bytes): try container.encode(bytes)
            case .unlimited: try container.encode("none")
            case .standard: try container.encode("default")
            }
        }
    }
}
