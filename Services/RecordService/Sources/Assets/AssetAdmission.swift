package import CloudKitModel
internal import RecordStorage
package import ServiceMessages

/// Decides which asset values a save is allowed to contain: those with an upload receipt, and those that the record's
/// field already contains (web-services 7.3). It performs no I/O; verifying a receipt takes a few microseconds.
package struct AssetAdmission: Sendable {
    /// The maximum number of assets in a list. Assets do not count towards a record's limit of one megabyte, so lists
    /// of assets need their own limit.
    package static let maxListElements = 1000

    private let missing: Set<Int64>
    private let open: @Sendable (String) -> AssetReceipt?

    /// Creates an admission that reads receipts with `open`, which returns nil for a forged or damaged receipt.
    ///
    /// - Parameter missing: blobs that no longer exist, although their receipts might still be valid.
    package init(missing: Set<Int64> = [], opening open: @escaping @Sendable (String) -> AssetReceipt?) {
        self.missing = missing
        self.open = open
    }

    /// Returns the value to store in `field`. The blob, checksums and keys of each asset are taken from its receipt or,
    /// if the asset has no receipt, from the field's current value.
    ///
    /// - Parameters:
    ///   - value: an asset or a list of assets.
    ///   - present: returns the current value of the field; called only if an asset has no receipt.
    ///   - scope: the database of the record, along with the participant if a participant saves the record.
    ///   - now: the current time, in milliseconds since 1970.
    /// - Throws: a `BAD_REQUEST` error with the field and the reason code of an ``AssetRefusal``.
    package func admit(
        _ value: FieldValue, of field: String, present: () -> FieldValue?, in scope: AssetScope, at now: Int64
    ) throws(ServerError) -> FieldValue {
        let given = value.assets
        guard given.count <= Self.maxListElements else {
            throw .tooManyAssets(field: field, limit: Self.maxListElements, actual: given.count)
        }
        let unproven = given.contains { $0.receipt == nil }
        let kept = Dictionary(
            (unproven ? present()?.assets ?? [] : []).map { ($0.fileChecksum, $0) },
            uniquingKeysWith: { first, _ in first })
        var admitted: [FieldValue] = []
        for asset in given {
            do throws(AssetRefusal) {
                admitted.append(.asset(try admit(asset, kept: kept, in: scope, at: now)))
            } catch {
                let isElement = if case .list = value { true } else { false }
                throw error.error(field: field, element: isElement ? admitted.count : nil)
            }
        }
        if case .list(_, let base) = value { return .list(admitted, of: base) }
        return admitted.first ?? value
    }

    private func admit(
        _ asset: Asset, kept: [String?: Asset], in scope: AssetScope, at now: Int64
    ) throws(AssetRefusal) -> Asset {
        guard let text = asset.receipt else {
            guard asset.fileChecksum != nil, let present = kept[asset.fileChecksum] else { throw .receiptMissing }
            return present
        }
        guard let receipt = open(text) else { throw .receiptInvalid }
        guard receipt.scope == scope else { throw .receiptForeign }
        guard receipt.expiresAt > now else { throw .receiptExpired }
        let checksum = receipt.checksum
        guard asset.fileChecksum == checksum.fileChecksum, asset.size == receipt.size else { throw .receiptMismatch }
        guard !missing.contains(receipt.blob) else { throw .blobMissing }
        return Asset(
            fileChecksum: checksum.fileChecksum, size: receipt.size, referenceChecksum: checksum.referenceChecksum,
            wrappingKey: checksum.wrappingKey, blob: receipt.blob)
    }
}
