internal import CloudKitModel
internal import CloudKitWire
internal import Foundation

/// The links of shares. A link ends with `/share/`, its short GUID, and possibly a fragment with the share's title.
enum ShareLink {
    /// Returns the short GUID of a link.
    ///
    /// - Throws: ``CKError/Code/unknownItem`` if the address cannot be the link of a share.
    static func shortGUID(of url: URL) throws(CKError) -> String {
        let parts = url.pathComponents
        guard parts.count >= 2, parts[parts.count - 2] == "share", let guid = parts.last, !guid.isEmpty else {
            throw CKError(.unknownItem, "The address \(url.absoluteString) is not the link of a share.")
        }
        return guid
    }

    /// Returns the short GUID by which a share is accepted; an empty text if the share has no link.
    static func shortGUID(of metadata: CKShare.Metadata) -> String {
        metadata.link ?? metadata.share.url.flatMap { try? shortGUID(of: $0) } ?? ""
    }

    /// Reads the share in an item of an answer.
    static func share(from item: JSONValue, in database: WebDatabase) throws(CKError) -> CKShare {
        if let fault = item.fault { throw fault.error() }
        guard let json = item["share"],
            let share = try RecordCoding.record(from: json, in: database.database(of: item)) as? CKShare
        else { throw .unexpectedAnswer("a link leads to no share") }
        return share
    }
}
