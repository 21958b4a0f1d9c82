internal import CloudKitModel

/// How many bytes may be held; nil: as many as there are.
struct Quota: Sendable, Equatable {
    /// All live contents of a container, each once.
    var containerBytes: Int64?
    /// What one user's private database of a container holds.
    var userBytes: Int64?

    /// No quota at all.
    static let none = Quota(containerBytes: nil, userBytes: nil)

    /// What is stored for a container instead of `self`: null leaves a quota as it is, and a negative one lifts it.
    func overridden(containerBytes: Int64?, userBytes: Int64?) -> Quota {
        func choose(_ override: Int64?, _ usual: Int64?) -> Int64? {
            guard let override else { return usual }
            return override < 0 ? nil : override
        }
        return Quota(
            containerBytes: choose(containerBytes, self.containerBytes), userBytes: choose(userBytes, self.userBytes))
    }
}

/// What a database may take yet: its quotas, and what counts towards them.
struct QuotaRoom: Sendable, Equatable {
    /// Whose the quota is.
    enum Subject: String, Sendable {
        case container, user
    }

    /// One quota.
    struct Part: Sendable, Equatable {
        var subject: Subject
        /// Its bytes.
        var limit: Int64
        /// Those that are taken.
        var used: Int64
    }

    /// The quotas there are.
    var parts: [Part]

    /// This room with more bytes taken.
    func adding(user: Int64, container: Int64) -> QuotaRoom {
        QuotaRoom(
            parts: parts.map {
                Part(subject: $0.subject, limit: $0.limit, used: $0.used + ($0.subject == .user ? user : container))
            })
    }

    /// Refuses `bytes` more than there are.
    ///
    /// - Parameter field: what the error names.
    /// - Throws: `QUOTA_EXCEEDED`.
    func admit(_ bytes: Int64, field: String?) throws(ServerError) {
        for part in parts where bytes > 0 && part.used + bytes > part.limit {
            throw .assetQuotaExceeded(part.subject, limit: part.limit, actual: part.used + bytes, field: field)
        }
    }
}
