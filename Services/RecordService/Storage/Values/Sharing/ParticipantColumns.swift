internal import CloudKitWire

/// The SQL that reads what belongs to a share and its participants, as JSON.
enum ParticipantColumns {
    /// The one-time link of a participant `p`; null if the participant has an identity.
    static let oneTimeLink = """
        case when p.user_name is null and p.email is null then (
            select o.link from record.one_time_link o
            where o.zone = p.zone and o.share = p.share and o.participant = p.id) end
        """

    /// Returns SQL that reads the requesters of a share `s`; ``requesters(_:)`` decodes them.
    ///
    /// - Parameter user: SQL for the user whose row is read; nil to read the rows of all requesters.
    static func requesters(of user: String? = nil) -> String {
        """
        (select jsonb_agg(jsonb_build_array(q.user_name, q.email, q.is_blocked) order by q.user_name)
        from record.requester q
        where q.zone = s.zone and q.share = s.id\(user.map { " and q.user_name = \($0)" } ?? ""))
        """
    }

    /// Decodes the result of ``requesters(of:)``.
    static func requesters(_ json: JSONValue) -> [AccessRequests.Requester] {
        (json.array ?? []).compactMap { row in
            guard let parts = row.array, parts.count == 3, let user = parts[0].string, let isBlocked = parts[2].bool
            else { return nil }
            return AccessRequests.Requester(user: user, email: parts[1].string, isBlocked: isBlocked)
        }
    }
}
