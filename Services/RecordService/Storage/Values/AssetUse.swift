package import CloudKitModel
package import CloudKitWire

/// A row of `record.asset_use`: a field of a record, or an element of a list in a field, that refers to a blob. While
/// the row exists, the blob cannot be deleted.
package struct AssetUse: Hashable, Sendable {
    /// The record.
    package var record: RecordKey
    /// The field's name.
    package var field: String
    /// The position in a list, starting at 0; 0 for a single asset.
    package var position: Int32
    /// The id of the blob, `asset.blob.id`.
    package var blob: Int64
}

/// The changes to asset uses. Uses are a pure function of a record's fields and type.
package typealias AssetUseChanges = RowChanges<AssetUse>

extension RowChanges where Row == AssetUse {
    /// Computes the changes for `keys` between the records as they were read and the records as they will be written.
    ///
    /// - Parameters:
    ///   - omitted: records that were read without their fields.
    ///   - type: returns the type with the given id. A record of an unknown type has no uses.
    init(
        of keys: some Sequence<RecordKey>, from before: [RecordKey: StoredRecord], to after: [RecordKey: StoredRecord],
        omitted: Set<RecordKey>, type: (RecordTypeID) -> RecordTypeSchema?
    ) {
        func uses(_ key: RecordKey, _ record: StoredRecord?) -> Set<AssetUse> {
            guard let record, let type = type(record.type) else { return [] }
            return Set(
                type.assets(in: record.fields).compactMap { place in
                    place.asset.blob.map {
                        AssetUse(record: key, field: place.field, position: Int32(place.position), blob: $0)
                    }
                })
        }
        self.init(of: keys, omitted: omitted, before: { uses($0, before[$0]) }, after: { uses($0, after[$0]) })
    }
}

extension RecordTypeSchema {
    /// Returns the assets in the fields of a record of this type, along with their fields and positions. A deleted
    /// record has no assets.
    package func assets(in fields: StoredFields?) -> [(field: String, position: Int, asset: Asset)] {
        guard let fields else { return [] }
        return assetFields.flatMap { name -> [(field: String, position: Int, asset: Asset)] in
            // Hidden fields are included, because their assets must still exist when the fields are shown again. A
            // value that cannot be decoded uses no asset.
            guard let type = storedType(of: name), let value = try? fields.value(name, as: type) else { return [] }
            return value.assets.enumerated().map { (name, $0.offset, $0.element) }
        }
    }

    /// Returns the approximate size of a record's assets in an answer, in bytes, including an address for each asset.
    /// This size does not count towards a record's limit of one megabyte, but it counts towards the limits of pages and
    /// batches.
    package func answeredAssetBytes(in fields: StoredFields) -> Int {
        assetFields.reduce(0) { $0 + 3 * (fields.raw($1)?.count ?? 0) }
    }

    /// Returns the checksums of the assets that a record no longer has, without duplicates.
    package func droppedAssets(from before: StoredFields?, to after: StoredFields?) -> [String] {
        var kept = Set(assets(in: after).compactMap(\.asset.fileChecksum))
        return assets(in: before).compactMap(\.asset.fileChecksum).filter { kept.insert($0).inserted }
    }
}

extension FieldValue {
    /// The assets of the value, in order: a single asset, the assets of a list, or none.
    package var assets: [Asset] {
        switch self {
        case .asset(let asset): [asset]
        case .list(let elements, of: .asset): elements.flatMap(\.assets)
        default: []
        }
    }
}
