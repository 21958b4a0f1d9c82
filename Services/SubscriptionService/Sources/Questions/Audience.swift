internal import Foundation

/// The participants who are notified of changes to the records in a share. For each participant, the audience contains
/// the numbers of the changes of access that had been made when the record service was asked. The audience is therefore
/// valid for every earlier change.
struct Audience: Sendable, Equatable {
    /// A participant.
    struct Member: Sendable, Equatable {
        /// The user.
        let user: String
        /// The number of the change through which the user last gained access.
        let since: Int64
        /// The number of the change through which the user last lost access; nil if there is no such change.
        let until: Int64?
        /// The number of the change through which the user lost access before ``since``; nil if there is no such
        /// change.
        var lost: Int64?
    }

    /// How a change concerns a participant.
    enum Hearing: Sendable {
        /// The user has access before and after the change.
        case listens
        /// The user gains or loses access through the change.
        case changes
    }

    /// The participants.
    var members: [Member] = []
    /// Participants who lost access through changes before this number might be missing.
    var fromSeq: Int64
}

extension Audience.Member {
    /// Returns how the changes in a range concern the user; nil if they do not concern the user.
    ///
    /// The result is exact for changes from ``lost`` on. It is not known whether the user had access to an earlier
    /// change, which is therefore not reported: the change ``lost``, which the user is notified of, follows it.
    func hearing(of range: ClosedRange<Int64>) -> Audience.Hearing? {
        if [since, until, lost].contains(where: { $0.map(range.contains) ?? false }) { return .changes }
        guard since < range.lowerBound else { return nil }
        if let until, since < until, until < range.lowerBound { return nil }
        return .listens
    }
}

/// A part of the participants of a zone's shares, who are ordered by user and by share.
struct AudiencePage: Sendable {
    /// A place in the order.
    struct Place: Sendable, Equatable {
        /// The user.
        var user: String
        /// The share.
        var share: Int64

        /// The beginning.
        static let start = Place(user: "", share: 0)

        /// Returns the place after all shares of a user.
        static func end(of user: String) -> Place { Place(user: user, share: .max) }
    }

    /// A participant of a share.
    struct Row: Sendable {
        /// The share.
        let share: Int64
        /// The participant.
        let member: Audience.Member
    }

    /// The participants.
    var rows: [Row]
    /// The place from which the next page continues; nil after the last page.
    var next: Place?
}
