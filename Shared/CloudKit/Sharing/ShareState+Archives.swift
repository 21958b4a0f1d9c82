internal import Foundation

extension CKShare.ShareState {
    private enum Key {
        static let publicPermission = "PublicPermission"
        static let participants = "Participants"
        static let owner = "Owner"
        static let current = "CurrentUserParticipant"
        static let allowsRequests = "AllowsAccessRequests"
        static let links = "ShareURLBase"
        static let root = "RootRecordID"
    }

    /// Reads the part of an archive that only shares have.
    init(_ coder: NSCoder) {
        publicPermission =
            CKShareParticipantPermission(rawValue: coder.decodeInteger(forKey: Key.publicPermission)) ?? .none
        if coder.containsValue(forKey: Key.participants) {
            let list = coder.decodeObject(of: [NSArray.self, CKShareParticipant.self], forKey: Key.participants)
            participants = (list as? NSArray)?.compactMap { $0 as? CKShareParticipant } ?? []
        }
        owner = coder.optionalObject(of: CKShareParticipant.self, forKey: Key.owner)
        current = coder.optionalObject(of: CKShareParticipant.self, forKey: Key.current)
        allowsAccessRequests = coder.decodeBool(forKey: Key.allowsRequests)
        links = coder.optionalObject(of: NSURL.self, forKey: Key.links).flatMap { $0.absoluteURL }
    }

    /// Writes the part of an archive that only shares have. Requests for access are not archived.
    func encode(with coder: NSCoder) {
        coder.encode(publicPermission.rawValue, forKey: Key.publicPermission)
        coder.encode(NSArray(array: participants), forKey: Key.participants)
        coder.encode(owner, forKey: Key.owner)
        coder.encode(current, forKey: Key.current)
        coder.encode(allowsAccessRequests, forKey: Key.allowsRequests)
        coder.encode(links.map { $0 as NSURL }, forKey: Key.links)
    }
}
