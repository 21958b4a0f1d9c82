internal import CloudKitModel
internal import Foundation

/// A sign-in of an account in a container's environment.
struct Session: Sendable, Hashable {
    /// The row's, which tokens carry.
    var id: UUID
    /// Who signed in.
    var account: Int64
    /// Where.
    var container: String
    /// And in which environment.
    var environment: EnvironmentName
    /// The user record name there.
    var userName: String
    /// Whether its tokens are good for two weeks instead of half an hour.
    var staysSignedIn: Bool
    /// Milliseconds since 1970 after which the row is removed: never before a token of it has expired, unless the sign-in
    /// ends sooner.
    var expiresAt: Int64
    /// When it ends, however much it is used, milliseconds since 1970.
    var endsAt: Int64
    /// When its use was noted last, milliseconds since 1970.
    var usedAt: Int64
    /// When the newest token was made that had been used by then, milliseconds since 1970; nil: none was.
    var newestTokenAt: Int64?

    /// How long a token is good (web-services 4.3), milliseconds.
    static func tokenLife(staysSignedIn: Bool) -> Int64 { staysSignedIn ? 14 * 86_400_000 : 30 * 60_000 }

    /// How much longer the row stays than the token that was made with it, so that not every answer's fresh token has to
    /// write it, milliseconds.
    static func reserve(staysSignedIn: Bool) -> Int64 { tokenLife(staysSignedIn: staysSignedIn) / 6 }

    /// Between two notes of its use, milliseconds.
    static let notePeriod: Int64 = 5 * 60_000
    /// How long requests with an older and a newer token may overlap, milliseconds: the time that a client has to send a
    /// request, and to have the answer.
    static let overlap: Int64 = 3 * 60_000

    /// Whether a token made at `time` comes too late to overlap with a newer one that was used.
    func isSuperseded(tokenMadeAt time: Int64, at now: Int64) -> Bool {
        guard let newestTokenAt else { return false }
        return time + Self.overlap < newestTokenAt && usedAt + Self.overlap < now
    }
}

/// How long sign-ins last, and how many an account may have.
struct SessionBounds: Sendable, Hashable {
    /// When the user stays signed in.
    var life = Duration.seconds(90 * 86_400)
    /// Without the tick.
    var briefLife = Duration.seconds(12 * 3600)
    /// Of an account, in all containers; the one that was not used for longest makes room for another.
    var maxSessions = 1000

    /// When a sign-in ends that begins at `now`, milliseconds since 1970.
    func end(staysSignedIn: Bool, at now: Int64) -> Int64 {
        now + (staysSignedIn ? life : briefLife).components.seconds * 1000
    }
}

/// How somebody signed in: for the list of sign-ins.
struct SignInSource: Sendable, Hashable {
    /// The client's address.
    var address: String?
    /// The API token of the application; nil: an operator signed them in.
    var apiToken: String?
}
