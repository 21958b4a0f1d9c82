package import CloudKitModel
package import Foundation

/// An account's session in a container's environment.
package struct Session: Sendable, Hashable {
    /// The id of the row. Web auth tokens contain it.
    package var id: UUID
    /// The account that signed in.
    package var account: Int64
    /// The container's identifier.
    package var container: String
    /// The environment of the container.
    package var environment: EnvironmentName
    /// The user record name in the container.
    package var userName: String
    /// Whether the session's tokens are valid for two weeks instead of half an hour.
    package var staysSignedIn: Bool
    /// The earliest time at which the row can be removed, in milliseconds since 1970: when the last of the session's
    /// tokens has expired or when the session ends, whichever is sooner.
    package var expiresAt: Int64
    /// The time, in milliseconds since 1970, at which the session ends even if it is in use.
    package var endsAt: Int64
    /// The time at which use of the session was last recorded, in milliseconds since 1970.
    package var usedAt: Int64
    /// The time, in milliseconds since 1970, at which the newest token that has been used was issued; nil if none has
    /// been used.
    package var newestTokenAt: Int64?

    /// Returns how long a token is valid (web-services 4.3), in milliseconds.
    package static func tokenLife(staysSignedIn: Bool) -> Int64 { staysSignedIn ? 14 * 86_400_000 : 30 * 60_000 }

    /// Returns how long, in milliseconds, the row outlives the token that was issued when the row was last written.
    /// Because of this reserve, the row does not have to be written each time a response carries a new token.
    static func reserve(staysSignedIn: Bool) -> Int64 { tokenLife(staysSignedIn: staysSignedIn) / 6 }

    /// The minimum time between recordings of a session's use, in milliseconds.
    package static let notePeriod: Int64 = 5 * 60_000
    /// How long requests with an older and a newer token are allowed to overlap, in milliseconds. It is the time that a
    /// client needs to send a request and receive its response.
    package static let overlap: Int64 = 3 * 60_000

    /// Returns whether a token that was issued at `time` is being used too late: a newer token has been used, and the
    /// time for which the two may overlap has passed.
    package func isSuperseded(tokenMadeAt time: Int64, at now: Int64) -> Bool {
        guard let newestTokenAt else { return false }
        return time + Self.overlap < newestTokenAt && usedAt + Self.overlap < now
    }
}

/// The maximum lifetimes of sessions, and the maximum number of sessions per account.
package struct SessionBounds: Sendable, Hashable {
    /// The maximum lifetime of a session whose user chose to stay signed in.
    package var life: Duration
    /// The maximum lifetime of any other session.
    package var briefLife: Duration
    /// The maximum number of sessions per account, across all containers. A further session ends the least recently
    /// used one.
    package var maxSessions: Int

    /// Creates the limits; by default 90 days, 12 hours and 1000.
    package init(
        life: Duration = .seconds(90 * 86_400), briefLife: Duration = .seconds(12 * 3600), maxSessions: Int = 1000
    ) {
        self.life = life
        self.briefLife = briefLife
        self.maxSessions = maxSessions
    }

    /// Returns the time, in milliseconds since 1970, at which a session that begins at `now` ends.
    func end(staysSignedIn: Bool, at now: Int64) -> Int64 {
        now + (staysSignedIn ? life : briefLife).components.seconds * 1000
    }
}

/// The origin of a session, for the list of sessions.
package struct SignInSource: Sendable, Hashable {
    /// The client's address.
    package var address: String?
    /// The API token of the application; nil if an operator signed the user in.
    package var apiToken: String?

    /// Creates a source.
    package init(address: String? = nil, apiToken: String? = nil) {
        self.address = address
        self.apiToken = apiToken
    }
}

/// A session as listed for operators.
package struct SignInListing: Sendable {
    /// The container's identifier.
    package var container: String
    /// The environment: `development` or `production`.
    package var environment: String
    /// The time at which the session began, in milliseconds since 1970.
    package var createdAt: Int64
    /// The time at which use of the session was last recorded, in milliseconds since 1970.
    package var usedAt: Int64
    /// The address of the client that last used the session.
    package var address: String?
    /// The name of the application's API token.
    package var application: String?
    /// Whether the session's tokens are valid for two weeks instead of half an hour.
    package var staysSignedIn: Bool
    /// The time, in milliseconds since 1970, at which the session ends even if it is in use.
    package var endsAt: Int64
}
