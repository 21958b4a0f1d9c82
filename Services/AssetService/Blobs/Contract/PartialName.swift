internal import Crypto
internal import ServiceMessages

/// The name of a resumable upload's file: whose it is, under which ticket, and which one.
///
/// The owner is there as digests, so that what waits is bounded and counted for each database, and names hold no user's
/// name. Uploads of one ticket are out of the reach of another.
struct PartialName: Sendable {
    /// Letters, digits, dots and hyphens: `<container><database>-<ticket>-<id>`.
    let text: String

    private static let containerDigits = 16
    private static let databaseDigits = 32

    /// The name of an upload to `scope`.
    init(_ scope: AssetScope, ticket: some StringProtocol, id: UploadID) {
        let database = "\(scope.container)\u{0}\(scope.environment)\u{0}\(scope.scope)\u{0}\(scope.owner)"
        text =
            Self.digest(scope.container, bytes: 8) + Self.digest(database, bytes: 8) + "-"
            + Self.digest(ticket, bytes: 16) + "-\(id)"
    }

    /// A name that is in the folder.
    init(text: String) { self.text = text }

    /// Whether both are uploads to the same database.
    func isOfSameDatabase(as other: PartialName) -> Bool {
        text.utf8.prefix(Self.databaseDigits).elementsEqual(other.text.utf8.prefix(Self.databaseDigits))
    }

    /// Whether both are uploads to databases of the same container.
    func isOfSameContainer(as other: PartialName) -> Bool {
        text.utf8.prefix(Self.containerDigits).elementsEqual(other.text.utf8.prefix(Self.containerDigits))
    }

    /// How many bytes the client said that it would send; 0 when it did not.
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
