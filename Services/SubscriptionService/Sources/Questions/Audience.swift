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
    func hearing(of range: ClosedRange<Int64>) -> Audience.Hearing? {
        if let until, range.contains(until) { return .changes }
        guard since <= range.upperBound else { return nil }
        if let until, since <= until, until < range.lowerBound { return nil }
        return range.contains(since) ? .changes : .listens
    }
}
