internal import CloudKitModel
internal import CloudKitWire
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages

/// Writes the answers to `records.resolve` and `records.accept`: a short GUID result for each item (web-services 3.10).
struct ShareMetadata: Sendable {
    let context: RequestContext
    /// The issuer of download URLs for the assets that answers contain; nil if answers contain no URLs.
    let downloads: AssetDownloads?
    let maxBytes: Int

    /// Returns the answer. A result that does not fit is written without the share's fields and without the root
    /// record.
    func answer(
        _ items: [ShortGUIDsRequest.Item], _ results: [Result<LinkReader.Found, ServerError>]
    ) -> Answer {
        var answer = Answer(maxBytes: maxBytes) { writer in
            writer.key("results")
            var room = WireRoom(count: items.count, reserve: RecordAnswer.shortBytes * 2)
            writer.array(zip(items, results)) { writer, item in
                let (item, result) = item
                switch result {
                case .failure(let error):
                    writer.itemError(error, shortGUID: item)
                    _ = room.take(weight: 0, in: &writer) { _ in }
                case .success(let found):
                    let isWritten = room.take(weight: found.share.size + (found.root?.size ?? 0), in: &writer) {
                        write(found, item, isShort: false, to: &$0)
                    }
                    if !isWritten { write(found, item, isShort: true, to: &writer) }
                }
            }
        }
        let errors = results.compactMap { if case .failure(let error) = $0 { error } else { nil } }
        if errors.count == items.count { answer.failure = errors.first }
        return answer
    }

    private func write(
        _ found: LinkReader.Found, _ item: ShortGUIDsRequest.Item, isShort: Bool, to writer: inout WireWriter
    ) {
        let participant = found.standing.participant
        let isOwner = participant?.role == .owner
        var records = RecordAnswer(
            zone: found.zone, reader: context.user, schema: found.schema,
            downloads: found.standing.hasAccess ? downloads : nil)
        if case .invited(let invitation) = found.standing { records.invitation = invitation }
        writer.object { writer in
            writer.shortGUID(item)
            writer.member("containerIdentifier", found.zone.container)
            writer.member("environment", found.zone.environment.rawValue)
            writer.member("databaseScope", isOwner ? "PRIVATE" : "SHARED")
            writer.key("zoneID")
            writer.zoneID(records.zoneID)
            writer.key("share")
            if isShort {
                records.writeShort(found.share, to: &writer)
            } else {
                records.write(found.share, desiredKeys: nil, numbersAsStrings: false, to: &writer)
            }
            writer.member("rootRecordName", found.rootName)
            if let root = found.root, !isShort {
                writer.key("rootRecord")
                records.write(root, desiredKeys: item.rootKeys.map(Set.init), numbersAsStrings: false, to: &writer)
            }
            writer.key("ownerIdentity")
            writer.object { $0.member("userRecordName", found.zone.owner) }
            writer.member("participantType", (participant?.role ?? .publicUser).wireName)
            writer.member("participantStatus", (participant?.status ?? .invited).wireName)
            writer.member("participantPermission", (participant?.permission ?? found.sharing.publicPermission).wireName)
            writer.key("potentialMatchList")
            writer.array(matches(found)) { writer, match in
                writer.object { writer in
                    writer.member("participantId", found.sharing.id(of: match))
                    writer.key("contactInformation")
                    writer.object { $0.member("emailAddress", match.email) }
                }
            }
        }
    }

    /// Returns the invitations that might be for the caller. Only the invitation for the caller's own address is
    /// included, because all other addresses are visible only to the owner.
    private func matches(_ found: LinkReader.Found) -> [StoredParticipant] {
        if case .invited(let invitation) = found.standing, invitation.email != nil { [invitation] } else { [] }
    }
}
