internal import ServiceMessages
internal import SubscriptionStorage

/// The notifications of changes for a part of the participants of shares, for each user in the order of the changes.
struct ParticipantViews: Sendable {
    /// The users whom a change reaches, in the order of the participants.
    private(set) var users: [String] = []
    private let changes: [ZoneChange]
    /// The views of each change.
    private var views: [[(records: [ChangedRecord]?, notification: SharedNotification)]] = []
    /// For each user, the positions of changes and of the user's view of each change.
    private var places: [String: [(change: Int, view: Int)]] = [:]

    /// Determines whom of the participants `rows` each change reaches.
    init(of changes: [ZoneChange], among rows: [AudiencePage.Row]) {
        self.changes = changes
        for (index, change) in changes.enumerated() {
            let reach = SharedReach(of: change, among: rows)
            views.append(reach.views.map { ($0.records, SharedNotification(change, to: $0)) })
            for (position, view) in reach.views.enumerated() {
                for user in view.users { places[user, default: []].append((index, position)) }
            }
        }
        for row in rows where row.member.user != users.last && places[row.member.user] != nil {
            users.append(row.member.user)
        }
    }

    /// Returns the notifications that a user's subscription sends, each with the position of its change.
    func notifications(
        to user: String, for subscription: StoredSubscription
    ) -> [(change: Int, notification: SharedNotification)] {
        (places[user] ?? []).compactMap { place in
            let view = views[place.change][place.view]
            guard subscription.fires(for: changes[place.change], records: view.records) else { return nil }
            return (place.change, view.notification)
        }
    }
}
