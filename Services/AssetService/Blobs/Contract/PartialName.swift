internal import CloudKitModel
internal import Crypto
package import ServiceMessages

/// The name of a resumable upload in a store. It consists of digests of the container, database and ticket, and of the
/// upload's id.
///
/// The digests make it possible to count and limit the waiting uploads to each database without revealing the names of
/// users. A request cannot reach an upload that was begun with a different ticket.
package struct PartialName: Sendable {
    /// Letters, digits, dots and hyphens: `<container><database>-<ticket>-<id>`.
    package let text: String

    private static let containerDigits = 16
    private static let databaseDigits = 32

    /// Creates the name of an upload to `scope`.
    package init(_ scope: AssetScope, ticket: some StringProtocol, id: UploadID) {
        let database =
            "\(scope.container)\u{0}\(scope.environment.rawValue)\u{0}\(scope.scope.wireName)\u{0}\(scope.owner)"
        text =
            Self.digest(scope.container, bytes: 8) + Self.digest(database, bytes: 8) + "-"
            + Self.digest(ticket, bytes: 16) + "-\(id)"
    }

    /// Creates a name from the name of a file in the store.
    init(text: String) { self.text = text }

    /// Whether this upload and `other` are uploads to the same database.
    func isOfSameDatabase(as other: PartialName) -> Bool {
        text.utf8.prefix(Self.databaseDigits).elementsEqual(other.text.utf8.prefix(Self.databaseDigits))
    }

    /// Whether this upload and `other` are uploads to databases of the same container.
    func isOfSameContainer(as other: PartialName) -> Bool {
        text.utf8.prefix(Self.containerDigits).elementsEqual(other.text.utf8.prefix(Self.containerDigits))
    }

    /// The announced size in bytes; 0 if the client announced none.
    var announcedBytes: Int64 {
        let parts = text.split(separator: "-", maxSplits: 2)
        return parts.count == 3 ? UploadID(parts[2])?.length ?? 0 : 0
    }

    private static func digest(_ text: some StringProtocol, bytes: Int) -> String {
        SHA256.hash(data: Array(text.utf8)).prefix(bytes).map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }.joined()
    }
}
