/// The limits on stored bytes. A nil value means no limit.
package struct Quota: Sendable, Equatable {
    /// The limit for all live blobs of a container, each counted once.
    package var containerBytes: Int64?
    /// The limit for the blobs in one user's private database in a container.
    package var userBytes: Int64?

    /// No limits.
    package static let none = Quota(containerBytes: nil, userBytes: nil)

    package init(containerBytes: Int64?, userBytes: Int64?) {
        self.containerBytes = containerBytes
        self.userBytes = userBytes
    }

    /// Returns this quota, overridden by a container's own limits. A nil value keeps the limit, and a negative number
    /// removes it.
    package func overridden(containerBytes: Int64?, userBytes: Int64?) -> Quota {
        func choose(_ override: Int64?, _ usual: Int64?) -> Int64? {
            guard let override else { return usual }
            return override < 0 ? nil : override
        }
        return Quota(
            containerBytes: choose(containerBytes, self.containerBytes), userBytes: choose(userBytes, self.userBytes))
    }
}

/// The quotas that apply to a database, and the bytes that count toward each quota.
package struct QuotaUsage: Sendable, Equatable {
    /// The subject of a quota: a whole container, or the private database of one of its users.
    package enum Subject: String, Sendable {
        case container, user
    }

    /// One quota.
    package struct Part: Sendable, Equatable {
        package var subject: Subject
        /// The limit in bytes.
        package var limit: Int64
        /// The bytes in use.
        package var used: Int64
    }

    /// The quotas; empty if no quota applies.
    package var parts: [Part]
    /// Whether the uploader is a participant who uploads to another user's database. Errors then contain no numbers,
    /// because the bytes in use would reveal which content the owner has stored.
    package var isOfAnotherUser = false

    package init(parts: [Part]) { self.parts = parts }

    /// Returns this usage, increased by the given numbers of bytes.
    package func adding(user: Int64, container: Int64) -> QuotaUsage {
        var usage = self
        usage.parts = parts.map {
            Part(subject: $0.subject, limit: $0.limit, used: $0.used + ($0.subject == .user ? user : container))
        }
        return usage
    }

    /// Checks that `bytes` additional bytes fit within every quota.
    package func admit(_ bytes: Int64) throws(QuotaExceeded) {
        for part in parts where bytes > 0 && part.used + bytes > part.limit {
            throw QuotaExceeded(subject: part.subject, limit: part.limit, actual: part.used + bytes)
        }
    }
}

/// The error thrown if an upload would exceed a quota.
package struct QuotaExceeded: Error, Equatable {
    package var subject: QuotaUsage.Subject
    /// The limit in bytes.
    package var limit: Int64
    /// The bytes that would be in use.
    package var actual: Int64
}
