internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import PostgresClient

/// The columns of a share `s`, and of those of its participants and requesters that a statement needs.
struct ShareColumns: Sendable {
    /// The columns, separated by commas; ``share(_:at:link:)`` decodes them.
    let list: String

    private init(
        participants: String, requesters: String, otherPending: String, lastID: String, publicUsers: String
    ) {
        list = """
            s.id, s.name, s.root, s.public_permission,
                (select jsonb_agg(jsonb_build_array(
                        p.id, p.user_name, p.email, p.role, p.permission, p.status, p.since_seq, p.until_seq,
                        p.lost_seq, p.uuid, \(ParticipantColumns.oneTimeLink))
                    order by p.id)
                from record.participant p where p.zone = s.zone and p.share = s.id\(participants)),
                s.allows_requests, \(requesters), \(otherPending), \(lastID), \(publicUsers)
            """
    }

    /// All participants and requesters.
    static let all = ShareColumns(
        participants: "", requesters: ParticipantColumns.requesters(), otherPending: "0::int8", lastID: "null::int4",
        publicUsers: "null::int8")

    /// What determines what a visitor `k` may do (``ShareVisitor``): the row of the owner, the visitor's own rows, the
    /// row of the one-time link, and one pending invitation by email, which is the visitor's own if there is one. The
    /// cost does not depend on the number of participants and requesters, except that the users who have joined through
    /// the link are counted for a visitor who accepts, and the pending requests for a visitor who requests access.
    static let ofVisitor = ShareColumns(
        participants: """
             and p.id = any(array[0, k.one_time] || array(
                select o.id from record.participant o
                where o.zone = s.zone and o.share = s.id and o.user_name = k.user_name
            ) || array(
                select o.id from record.participant o
                where o.zone = s.zone and o.share = s.id and o.status = 1 and o.user_name is null
                    and o.email is not null and o.permission <> 1
                order by o.email is not distinct from k.email desc, o.id limit 1))
            """,
        requesters: ParticipantColumns.requesters(of: "k.user_name"),
        otherPending: """
            case when k.intent = \(ShareVisitor.Intent.requestAccess.rawValue) and s.allows_requests then (
                select count(*) from record.requester o
                where o.zone = s.zone and o.share = s.id and not o.is_blocked and o.user_name <> k.user_name)
            else 0 end
            """,
        lastID: "(select max(o.id) from record.participant o where o.zone = s.zone and o.share = s.id)",
        publicUsers: """
            case when k.intent = \(ShareVisitor.Intent.accept.rawValue) and s.public_permission <> 1 then (
                select count(*) from record.participant o
                where o.zone = s.zone and o.share = s.id and o.role = 4 and o.status = 2)
            else 0 end
            """)

    /// Decodes ``list``; nil if there is no share.
    ///
    /// - Parameters:
    ///   - first: the position of the first column.
    ///   - link: the identifier in the link of the share.
    static func share(_ row: PostgresRow, at first: Int, link: String?) -> StoredShare? {
        row.int64IfPresent(first).map { id in
            StoredShare(
                id: ShareID(id), name: row.recordName(first + 1), root: row.recordNameIfPresent(first + 2),
                publicPermission: SharePermission(rawValue: row.int16(first + 3)) ?? .none, link: link ?? "",
                participants: participants(json(row.jsonbIfPresent(first + 4))),
                requests: AccessRequests(
                    areAllowed: row.bool(first + 5),
                    requesters: ParticipantColumns.requesters(json(row.jsonbIfPresent(first + 6))),
                    otherPending: Int(row.int64(first + 7))),
                rest: row.int32IfPresent(first + 8).map {
                    StoredShare.Rest(lastID: $0, publicUsers: Int(row.int64(first + 9)))
                })
        }
    }

    private static func json(_ bytes: [UInt8]?) -> JSONValue {
        bytes.flatMap { try? JSONValue(parsing: $0) } ?? .null
    }

    private static func participants(_ json: JSONValue) -> [StoredParticipant] {
        (json.array ?? []).compactMap { row in
            guard let parts = row.array, parts.count == 11, let id = parts[0].int.flatMap(Int32.init(exactly:)),
                let role = parts[3].int.flatMap({ ParticipantRole(rawValue: Int16($0)) }),
                let permission = parts[4].int.flatMap({ SharePermission(rawValue: Int16($0)) }),
                let status = parts[5].int.flatMap({ AcceptanceStatus(rawValue: Int16($0)) })
            else { return nil }
            return StoredParticipant(
                id: id, uuid: parts[9].string.flatMap(UUID.init(uuidString:)), user: parts[1].string,
                email: parts[2].string, role: role, permission: permission, status: status, since: parts[6].int,
                until: parts[7].int, lost: parts[8].int, link: parts[10].string)
        }
    }
}
