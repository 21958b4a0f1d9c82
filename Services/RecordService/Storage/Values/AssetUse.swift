package import CloudKitModel
package import CloudKitWire

/// A row of `record.asset_use`: a place in a record that holds a blob, which cannot be deleted meanwhile.
package struct AssetUse: Hashable, Sendable {
    /// The record.
    package var record: RecordKey
    /// The field's name.
    package var field: String
    /// The place in a list, from 0; 0 for a single asset.
    package var position: Int32
    /// `asset.blob.id`.
    package var blob: Int64
}

/// What a transaction changes in the uses of blobs.
package struct AssetUseChanges: Sendable {
    /// Records whose uses all go: because none are left, or because their fields were not read.
    package private(set) var cleared: [RecordKey] = []
    /// Uses that go.
    package private(set) var removed: [AssetUse] = []
    /// Uses that come, after the others went.
    package private(set) var added: [AssetUse] = []

    /// The difference that `keys` make between what was read and what is written. Uses are a pure function of a record's
    /// stored fields and its type.
    ///
    /// - Parameters:
    ///   - omitted: records that were read without their fields.
    ///   - type: the type of a row; a record whose type is not known has no uses.
    package init(
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
        for key in keys {
            let new = uses(key, after[key])
            if omitted.contains(key) {
                cleared.append(key)
                added += new
            } else {
                let old = uses(key, before[key])
                if new.isEmpty, !old.isEmpty {
                    cleared.append(key)
                } else {
                    removed += old.subtracting(new)
                    added += new.subtracting(old)
                }
            }
        }
    }
}

extension RecordTypeSchema {
    /// The assets in the fields of a record of this type, with their places; none for a deleted record.
    package func assets(in fields: StoredFields?) -> [(field: String, position: Int, asset: Asset)] {
        guard let fields else { return [] }
        return assetFields.flatMap { name -> [(field: String, position: Int, asset: Asset)] in
            // Hidden fields count: their assets are there again with them. A value that cannot be read uses nothing.
            guard let type = storedType(of: name), let value = try? fields.value(name, as: type) else { return [] }
            return value.assets.enumerated().map { (name, $0.offset, $0.element) }
        }
    }

    /// About how many bytes the assets of a record take in an answer: what is stored of them and an address for each.
    /// They do not count towards the record's megabyte, but pages and batches are bounded by what they carry.
    package func answeredAssetBytes(in fields: StoredFields) -> Int {
        assetFields.reduce(0) { $0 + 3 * (fields.raw($1)?.count ?? 0) }
    }

    /// The checksums of the assets that a record had and has no more, each once.
    package func droppedAssets(from before: StoredFields?, to after: StoredFields?) -> [String] {
        var kept = Set(assets(in: after).compactMap(\.asset.fileChecksum))
        return assets(in: before).compactMap(\.asset.fileChecksum).filter { kept.insert($0).inserted }
    }
}

extension FieldValue {
    /// The assets of the value, in order: one, a list's, or none.
    package var assets: [Asset] {
        switch self {
        case .asset(let asset): [asset]
        case .list(let elements, of: .asset): elements.flatMap(\.assets)
        default: []
        }
    }
}
