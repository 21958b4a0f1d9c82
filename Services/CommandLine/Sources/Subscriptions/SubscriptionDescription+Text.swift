import CloudKitWire
import CommandLineSession
import OperatorMessages

/// The text of a subscription with its delivery statistics.
extension SubscriptionDescription {
    /// The titles of the columns of ``cells``.
    static let columns = ["ID", "DELIVERED", "REFUSED", "LAST", "LAG MS", "ERROR", "OWNER", "WHAT"]

    private var id: String { subscription["subscriptionID"]?.string ?? "" }

    /// The subscription as a row of a table.
    var cells: [String] {
        [
            id, state.delivered.grouped, state.refused.grouped, state.lastAt.map(Moment.text) ?? "-",
            state.lastLag.map(\.grouped) ?? "-", state.lastError == nil ? "-" : "yes",
            [environment, database, user].joined(separator: "/"), SubscriptionLine.what(subscription),
        ]
    }

    /// The subscription as one line for each property.
    var lines: [String] {
        var table = TextTable()
        table.add("id", id)
        table.add("what", SubscriptionLine.what(subscription))
        table.add("owner", [container, environment, database, user].joined(separator: "/"))
        if let info = subscription["notificationInfo"], info.members?.isEmpty == false { table.add("shown", info.text) }
        table.add("delivered", state.delivered.grouped)
        table.add("refused", state.refused.grouped)
        if let at = state.lastAt {
            let place = state.lastZone.map { " of zone \($0)" } ?? ""
            let change = state.lastSeq.map { ", change \($0)\(place)" } ?? ""
            let lag = state.lastLag.map { ", \($0.grouped) ms after it" } ?? ""
            table.add("last", Moment.text(at) + change + lag)
        } else {
            table.add("last", "never")
        }
        if let error = state.lastError {
            table.add("error", (state.lastErrorAt.map { Moment.text($0) + "  " } ?? "") + error)
        }
        return table.lines
    }
}

extension Requester {
    /// Requests subscriptions with their delivery statistics, page by page.
    ///
    /// - Parameters:
    ///   - request: the request for the first page.
    ///   - show: called with each page; returns false to stop.
    /// - Throws: the failure of a request.
    func subscriptionStates(
        _ request: SubscriptionsStatesRequest, show: ([SubscriptionDescription]) -> Bool
    ) async throws(RequestFailure) {
        var request = request
        repeat {
            let answer = try await ask(request)
            guard answer.after == nil || answer.after != request.after else {
                throw .unanswered(reason: "subscriptions.states repeats its position")
            }
            request.after = answer.after
            guard show(answer.subscriptions) else { return }
        } while request.after != nil
    }
}
