internal import Foundation

/// The encrypted fields of a record.
final class EncryptedValues: NSObject, CKRecordKeyValueSetting {
    private let record: CKRecord

    init(record: CKRecord) {
        self.record = record
        super.init()
    }

    func object(forKey key: CKRecord.FieldKey) -> (any __CKRecordObjCValue)? {
        let content = record.state.withLock { $0.encrypted.values[key] }
        guard let content else { return nil }
        return content.value
    }

    /// Sets an encrypted value. References and assets cannot be encrypted: the server must see references, and assets
    /// are separate files.
    func setObject(_ object: (any __CKRecordObjCValue)?, forKey key: CKRecord.FieldKey) {
        let content = object.map { fieldContent(of: $0, for: key) }
        for element in content?.elements ?? [] {
            switch element {
            case .reference, .asset:
                preconditionFailure("The field '\(key)' cannot be encrypted, because it is a reference or an asset.")
            default: break
            }
        }
        record.state.withLock { $0.encrypted.set(key, to: content) }
    }

    @_disfavoredOverload
    subscript(key: CKRecord.FieldKey) -> (any __CKRecordObjCValue)? {
        get { object(forKey: key) }
        set { setObject(newValue, forKey: key) }
    }

    func allKeys() -> [CKRecord.FieldKey] { record.state.withLock { Array($0.encrypted.values.keys) } }

    func changedKeys() -> [CKRecord.FieldKey] { record.state.withLock { $0.encrypted.changedKeys } }
}
