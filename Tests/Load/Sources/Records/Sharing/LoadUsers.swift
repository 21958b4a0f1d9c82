import CloudKitModel
import CommandLineSession

/// The users in whose names a producer sends requests: the owner of the zones, and the participants of the shares.
struct LoadUsers: Sendable {
    /// A user who participates in all shares of the load.
    struct Participant: Sendable {
        /// The user's record name.
        let name: String
        /// Sends requests in the shared database.
        let shared: any Requester
        /// Sends requests in the public database, such as those that accept shares.
        let accepting: any Requester
    }

    /// Sends the requests of the owner.
    let owner: any Requester
    /// The owner's record name; nil if there are no participants.
    var ownerName: String?
    /// The participants of all shares.
    var participants: [Participant] = []

    /// Returns the user who sends the request with the given number to a share: the owner and the participants in turn.
    func inTurn(_ number: Int) -> any Requester {
        let user = number % (participants.count + 1)
        return user == 0 ? owner : participants[user - 1].shared
    }
}

extension LoadUsers {
    /// Creates users who all send their requests over the owner's connection.
    ///
    /// - Parameters:
    ///   - owner: the owner's session.
    ///   - scope: the database and the user of `owner`.
    ///   - participants: the record names of the participants.
    init(
        _ owner: WatchedRequester<BrokerSession>, in scope: RequestScope, participants: [String]
    ) {
        func acting(as user: String, in database: DatabaseScope) -> WatchedRequester<BrokerSession> {
            var other = scope
            (other.user, other.database) = (user, database)
            return owner.acting(in: other)
        }
        self.init(
            owner: owner, ownerName: participants.isEmpty ? nil : scope.user,
            participants: participants.map { name in
                Participant(
                    name: name, shared: acting(as: name, in: .shared), accepting: acting(as: name, in: .public))
            })
    }
}
