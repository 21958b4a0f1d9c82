import CloudKitWire
import ServiceMessages

/// The assets of an operation on a record.
extension JSONValue {
    /// The checksums of the assets that have no receipt.
    var unprovenAssets: [AssetChecksum] {
        (self["record"]?["fields"]?.members ?? []).flatMap { field in
            let value = field.value["value"] ?? .null
            return (value.array ?? [value]).compactMap(\.unprovenAsset)
        }
    }

    /// Returns a copy of the operation in which each asset without a receipt is replaced by the asset in `proven` that
    /// has the same checksum, if there is one.
    func replacingAssets(by proven: [AssetChecksum: JSONValue]) -> JSONValue {
        changing("record") { record in
            record.changing("fields") { fields in
                .object(
                    (fields.members ?? []).map { field in
                        Member(
                            field.key,
                            field.value.changing("value") { value in
                                guard let elements = value.array else { return value.replaced(by: proven) }
                                return .array(elements.map { $0.replaced(by: proven) })
                            })
                    })
            }
        }
    }

    /// Returns a copy of this object in which `change` has been applied to the value of `key`. Returns `self` unchanged
    /// if it is not an object or does not contain the key.
    func changing(_ key: String, _ change: (JSONValue) -> JSONValue) -> JSONValue {
        guard let members else { return self }
        return .object(members.map { $0.key == key ? Member(key, change($0.value)) : $0 })
    }

    private var unprovenAsset: AssetChecksum? {
        self["receipt"] == nil ? self["fileChecksum"]?.string.flatMap { AssetChecksum($0) } : nil
    }

    private func replaced(by proven: [AssetChecksum: JSONValue]) -> JSONValue {
        unprovenAsset.flatMap { proven[$0] } ?? self
    }
}
