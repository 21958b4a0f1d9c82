package import CloudKitModel
package import Foundation

/// A sign-in of an account in a container's environment.
package struct Session: Sendable, Hashable {
    /// The row's id, which web auth tokens carry.
    package var id: UUID
    /// The account that signed in.
    package var account: Int64
    /// The container's identifier.
    package var container: String
    /// The environment of the container.
    package var environment: EnvironmentName
    /// The user record name in the container.
    package var userName: String
    /// Whether its tokens are valid for two weeks instead of half an hour.
    package var staysSignedIn: Bool
    /// When the row may be removed, milliseconds since 1970: after the last of its tokens has expired, or when the sign-in
    /// ends if that is sooner.
    package var expiresAt: Int64
    /// When the sign-in ends however much it is used, milliseconds since 1970.
    package var endsAt: Int64
    /// When its use was last recorded, milliseconds since 1970.
    package var usedAt: Int64
    /// When the newest token that had been used by then was made, milliseconds since 1970; nil: none had been used.
    package var newestTokenAt: Int64?

    /// How long a token is valid (web-services 4.3), milliseconds.
    package static func tokenLife(staysSignedIn: Bool) -> Int64 { staysSignedIn ? 14 * 86_400_000 : 30 * 60_000 }

    /// How much longer the row is kept than the token that was made with it, milliseconds. The fresh token of each answer
    /// then need not write the row.
    static func reserve(staysSignedIn: Bool) -> Int64 { tokenLife(staysSignedIn: staysSignedIn) / 6 }

    /// Between two records of its use, milliseconds.
    package static let notePeriod: Int64 = 5 * 60_000
    /// How long requests with an older and a newer token may overlap, milliseconds: the time that a client needs to send a
    /// request and receive its answer.
    package static let overlap: Int64 = 3 * 60_000

    /// Whether a token made at `time` comes too late to overlap with a newer one that was used.
    package func isSuperseded(tokenMadeAt time: Int64, at now: Int64) -> Bool {
        guard let newestTokenAt else { return false }
        return time + Self.overlap < newestTokenAt && usedAt + Self.overlap < now
    }
}

/// How long sign-ins last, and how many an account may have.
package struct SessionBounds: Sendable, Hashable {
    /// The life of a sign-in whose user chose to stay signed in.
    package var life: Duration
    /// The life of any other sign-in.
    package var briefLife: Duration
    /// Sign-ins of an account in all containers. One more ends the least recently used one.
    package var maxSessions: Int

    /// The bounds; by default 90 days, 12 hours and 1000.
    package init(
        life: Duration = .seconds(90 * 86_400), briefLife: Duration = .seconds(12 * 3600), maxSessions: Int = 1000
    ) {
        self.life = life
        self.briefLife = briefLife
        self.maxSessions = maxSessions
    }

    /// When a sign-in ends that begins at `now`, milliseconds since 1970.
    func end(staysSignedIn: Bool, at now: Int64) -> Int64 {
        now + (staysSignedIn ? life : briefLife).components.seconds * 1000
    }
}

/// Where a sign-in came from, for the list of sign-ins.
package struct SignInSource: Sendable, Hashable {
    /// The client's address.
    package var address: String?
    /// The API token of the application; nil: an operator signed the user in.
    package var apiToken: String?

    /// A source.
    package init(address: String? = nil, apiToken: String? = nil) {
        self.address = address
        self.apiToken = apiToken
    }
}

/// A sign-in in the operators' list.
package struct SignInListing: Sendable {
    /// The container's identifier.
    package var container: String
    /// `development` or `production`.
    package var environment: String
    /// Milliseconds since 1970.
    package var createdAt: Int64
    /// When its use was last recorded, milliseconds since 1970.
    package var usedAt: Int64
    /// The address of the last client whose use was recorded.
    package var address: String?
    /// The name of the application's API token.
    package var application: String?
    /// Whether its tokens are valid for two weeks instead of half an hour.
    package var staysSignedIn: Bool
    /// When the sign-in ends however much it is used, milliseconds since 1970.
    package var endsAt: Int64
}
