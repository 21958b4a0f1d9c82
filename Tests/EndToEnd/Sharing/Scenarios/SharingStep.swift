import CloudKitWire
import ServiceMessages

/// The part of a user in a scenario.
enum SharingRole: String, Sendable, CaseIterable {
    case owner, guest, reader, friend, stranger, nobody
}

/// A request of a scenario, and the expected answer.
///
/// Strings that begin with `@` stand for values that the stage knows: `@guest` is the record name of the guest,
/// `@guest.email` the email address, `@tag:S` the current change tag of the record S, `@link:S` its short GUID, and any
/// other word a value that an earlier step has kept.
struct SharingStep: Sendable {
    /// A part of the answer that is checked. The path consists of keys and positions; `*` stands for all positions, and
    /// their values may have any order.
    enum Check: Sendable {
        case equals(path: String, JSONValue)
        case differs(path: String, JSONValue)
        case lacks(String)
    }

    let who: SharingRole
    let operation: ServiceMessages.Operation
    let database: String
    let body: JSONValue
    /// The outcome of each item of the answer; nil for success. If it is empty, all items must succeed.
    let refusals: [SharingRefusal?]
    private(set) var checks: [Check] = []
    private(set) var kept: [(name: String, path: String)] = []
    /// A word for the message's id. Steps with the same word send the same id.
    private(set) var messageID: String?

    init(
        _ who: SharingRole, _ operation: ServiceMessages.Operation, in database: String, _ body: JSONValue,
        refused: [SharingRefusal?]
    ) {
        (self.who, self.operation, self.database, self.body) = (who, operation, database, body)
        refusals = refused
    }

    /// Requires a value in the answer.
    func showing(_ path: String, _ value: JSONValue) -> SharingStep {
        var step = self
        step.checks.append(.equals(path: path, value))
        return step
    }

    /// Requires that a value of the answer differs from `value`.
    func differing(_ path: String, _ value: JSONValue) -> SharingStep {
        var step = self
        step.checks.append(.differs(path: path, value))
        return step
    }

    /// Requires that the answer does not contain a text.
    func lacking(_ text: String) -> SharingStep {
        var step = self
        step.checks.append(.lacks(text))
        return step
    }

    /// Keeps a value of the answer for later steps.
    func keeping(_ name: String, _ path: String) -> SharingStep {
        var step = self
        step.kept.append((name, path))
        return step
    }

    /// Sends the request with a message id that other steps use too.
    func with(messageID: String) -> SharingStep {
        var step = self
        step.messageID = messageID
        return step
    }
}
