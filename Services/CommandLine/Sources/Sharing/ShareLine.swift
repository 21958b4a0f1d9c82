import CloudKitWire
import CommandLineSession
import OperatorMessages

/// Shares, links and explanations as lines of text.
enum ShareLine {
    /// Returns a share as a line: `Share-5D2C  Groceries  public NONE  2 participants`. The link is omitted, because
    /// everyone who has the link of a public share can join.
    static func summary(_ share: JSONValue) -> String {
        if share["deleted"]?.bool == true { return "\(share["recordName"]?.string ?? "")  deleted" }
        let count = share["participants"]?.array?.count ?? 0
        let parts = [
            share["recordName"]?.string, share["fields"]?["cloudkit.title"]?["value"]?.string,
            share["publicPermission"]?.string.map { "public \($0)" },
            "\(count) \(count == 1 ? "participant" : "participants")",
        ]
        return parts.compactMap(\.self).joined(separator: "  ")
    }

    /// Returns a share as several lines: the summary, the link and one line for each participant:
    /// `  _0…1  USER  READ_ONLY  ACCEPTED`. A participant without an identity is shown with the one-time link.
    static func details(_ share: JSONValue) -> String {
        var table = TextTable()
        if let link = share["shortGUID"]?.string { table.add("  link", link) }
        var participants = TextTable()
        for participant in share["participants"]?.array ?? [] {
            participants.add(
                "  " + identity(participant), participant["type"]?.string ?? "",
                participant["permission"]?.string ?? "",
                joined([
                    participant["acceptanceStatus"]?.string,
                    participant["oneTimeShortGUID"]?.string.map { "one-time link \($0)" },
                ]))
        }
        return ([summary(share)] + table.lines + participants.lines).joined(separator: "\n")
    }

    /// Returns a user who requests access or is blocked: `_0…1  ada@example.org  requested`.
    static func requester(_ requester: JSONValue, _ state: String) -> String {
        let identity = requester["userIdentity"]
        return joined([
            identity?["userRecordName"]?.string, identity?["lookupInfo"]?["emailAddress"]?.string, state,
        ])
    }

    /// Returns the result of resolving or accepting a link:
    /// `ACCEPTED  READ_WRITE  Groceries  list-1  zone Notes of _0…1`. The link is omitted.
    static func result(_ result: JSONValue) -> String {
        let title = result["share"]?["fields"]?["cloudkit.title"]?["value"]?.string
        let zone = result["zoneID"]?["zoneName"]?.string ?? ""
        let owner = result["zoneID"]?["ownerRecordName"]?.string ?? ""
        let parts = [
            result["participantStatus"]?.string, result["participantPermission"]?.string, title,
            result["rootRecordName"]?.string, "zone \(zone) of \(owner)",
        ]
        return parts.compactMap(\.self).joined(separator: "  ")
    }

    /// Returns an explanation: the chain of parents, the share, the participant, the right and an explanation in words.
    static func explanation(_ answer: SharesExplainRequest.Answer) -> String {
        var table = TextTable()
        for (index, record) in answer.chain.enumerated() {
            let marks = [
                record.recordType, record.state == "live" ? nil : record.state,
                record.share.map { "in share \($0)" }, record.rootOf.map { "root of \($0)" },
            ]
            table.add(index == 0 ? "record" : "parent", record.recordName, joined(marks))
        }
        if let share = answer.share {
            let whole = share.rootRecordName == nil ? "whole zone" : nil
            let open = share.openInvitations > 0 ? "\(share.openInvitations) pending invitations by email" : nil
            table.add("share", share.recordName, joined([whole, "public \(share.publicPermission)", open]))
        }
        if let participant = answer.participant {
            table.add(
                "participant", participant.participantId,
                joined([participant.type, participant.permission, participant.acceptanceStatus]))
        }
        if let request = answer.accessRequest { table.add("request", request) }
        table.add("right", answer.right)
        if let missing = answer.missing { table.add("missing", missing) }
        return (table.lines + [answer.explanation]).joined(separator: "\n")
    }

    private static func identity(_ participant: JSONValue) -> String {
        let identity = participant["userIdentity"]
        return identity?["userRecordName"]?.string ?? identity?["lookupInfo"]?["emailAddress"]?.string
            ?? participant["participantId"]?.string ?? ""
    }

    private static func joined(_ parts: [String?]) -> String { parts.compactMap(\.self).joined(separator: "  ") }
}
