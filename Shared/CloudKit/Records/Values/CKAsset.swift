internal import CloudKitModel
public import Foundation

/// A file that belongs to a field of a record.
///
/// The library never changes or moves the file of an application. After a fetch, ``fileURL`` names a copy in the
/// library's cache, which may be removed at any time.
open class CKAsset: NSObject, NSSecureCoding, @unchecked Sendable {
    /// What is known of the asset.
    struct State {
        /// The file that the application has given, or the copy of the fetched content.
        var file: URL?
        /// What the server knows of the content. For an asset that is to be saved, it contains the upload's receipt.
        var remote: Asset?
        /// The record that the asset belongs to. An asset object cannot belong to two records.
        weak var owner: CKRecord?
    }

    let state: Locked<State>

    /// Creates an asset with the content of a file. The file is read when the record is saved.
    public init(fileURL: URL) {
        state = Locked(State(file: fileURL))
        super.init()
    }

    /// Creates an asset that a fetched record contains.
    init(remote: Asset) {
        state = Locked(State(remote: remote))
        super.init()
    }

    @available(*, unavailable)
    public override init() { fatalError("init() is unavailable: use init(fileURL:).") }

    /// The file with the content. Nil if the content was not fetched, or if the file no longer exists.
    open var fileURL: URL? {
        state.copy.file.flatMap { FileManager.default.fileExists(atPath: $0.path) ? $0 : nil }
    }

    /// Returns whether `object` has the same file, or the same content on the server.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKAsset else { return false }
        if self === other { return true }
        let (mine, theirs) = (state.copy, other.state.copy)
        if let checksum = mine.remote?.fileChecksum, checksum == theirs.remote?.fileChecksum { return true }
        return mine.file != nil && mine.file == theirs.file
    }

    /// The hash of the class, because assets with different files can be equal.
    open override var hash: Int { 0 }

    open override var description: String {
        "<CKAsset: \(state.copy.file?.path ?? state.copy.remote?.fileChecksum ?? "no file")>"
    }

    // MARK: - NSSecureCoding

    /// Whether archives may require secure coding: always.
    open class var supportsSecureCoding: Bool { true }

    /// Reads an asset from an archive. Its file may have been removed since.
    public required init?(coder: NSCoder) {
        let path = coder.optionalObject(of: NSURL.self, forKey: ArchiveKey.file)
        let signature = coder.optionalObject(of: NSData.self, forKey: ArchiveKey.signature)
        var remote: Asset?
        if let signature {
            remote = Asset(
                fileChecksum: Data(referencing: signature).base64EncodedString(),
                size: coder.decodeInt64(forKey: ArchiveKey.size))
        }
        state = Locked(State(file: path.flatMap { $0.absoluteURL }, remote: remote))
        super.init()
    }

    /// Writes the file's address, and the checksum and size of the content if they are known.
    open func encode(with coder: NSCoder) {
        let state = state.copy
        if let file = state.file { coder.encode(file as NSURL, forKey: ArchiveKey.file) }
        if let checksum = state.remote?.fileChecksum, let signature = Data(base64Encoded: checksum) {
            coder.encode(signature as NSData, forKey: ArchiveKey.signature)
            coder.encode(state.remote?.size ?? 0, forKey: ArchiveKey.size)
        }
    }

    private enum ArchiveKey {
        static let file = "AssetFileURL"
        static let signature = "AssetSignature"
        static let size = "AssetSize"
    }
}
