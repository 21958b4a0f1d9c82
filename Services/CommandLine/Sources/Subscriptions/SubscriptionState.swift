import CloudKitWire
import CommandLineSession
import ServiceMessages

/// The text of an element of the answer to `subscriptions.states`: a subscription and its delivery statistics.
struct SubscriptionState: Sendable {
    /// The element.
    let json: JSONValue

    private var state: JSONValue { json["state"] ?? .null }
    private func text(_ key: String) -> String { json[key]?.string ?? "" }
    private func count(_ key: String) -> String { (state[key]?.int ?? 0).grouped }

    /// The titles of the columns of ``cells``.
    static let columns = ["ID", "DELIVERED", "REFUSED", "LAST", "LAG MS", "ERROR", "OWNER", "WHAT"]

    /// The subscription as a row of a table.
    var cells: [String] {
        [
            json["subscription"]?["subscriptionID"]?.string ?? "", count("delivered"), count("refused"),
            state["lastAt"]?.int.map(Moment.text) ?? "-", state["lastLag"]?.int.map(\.grouped) ?? "-",
            state["lastError"]?.string == nil ? "-" : "yes",
            ["environment", "database", "user"].map(text).joined(separator: "/"),
            SubscriptionLine.what(json["subscription"] ?? .null),
        ]
    }

    /// The subscription as one line for each property.
    var lines: [String] {
        let subscription = json["subscription"] ?? .null
        var table = TextTable()
        table.add("id", subscription["subscriptionID"]?.string ?? "")
        table.add("what", SubscriptionLine.what(subscription))
        table.add("owner", ["container", "environment", "database", "user"].map(text).joined(separator: "/"))
        if let info = subscription["notificationInfo"], info.members?.isEmpty == false { table.add("shown", info.text) }
        table.add("delivered", count("delivered"))
        table.add("refused", count("refused"))
        if let at = state["lastAt"]?.int {
            let place = state["lastZone"]?.string.map { " of zone \($0)" } ?? ""
            let change = state["lastSeq"]?.int.map { ", change \($0)\(place)" } ?? ""
            let lag = state["lastLag"]?.int.map { ", \($0.grouped) ms after it" } ?? ""
            table.add("last", Moment.text(at) + change + lag)
        } else {
            table.add("last", "never")
        }
        if let error = state["lastError"]?.string {
            table.add("error", (state["lastErrorAt"]?.int.map { Moment.text($0) + "  " } ?? "") + error)
        }
        return table.lines
    }
}

extension Requester {
    /// Requests the states of subscriptions, page by page.
    ///
    /// - Parameters:
    ///   - question: members of the body of `subscriptions.states` that select subscriptions.
    ///   - show: called with each page; returns false to stop.
    /// - Throws: the failure of a request.
    func subscriptionStates(
        _ question: [(String, JSONValue?)], show: ([JSONValue]) -> Bool
    ) async throws(RequestFailure) {
        var after: JSONValue?
        repeat {
            let answer = try await ask(
                .subscriptionsStates, .object(having: question + [("after", after)]), limit: .requestLimit)
            let next = answer["after"].flatMap { $0.isNull ? JSONValue?.none : $0 }
            guard next == nil || next != after else {
                throw .unanswered(reason: "subscriptions.states repeats its position")
            }
            after = next
            guard show(answer["subscriptions"]?.array ?? []) else { return }
        } while after != nil
    }
}
