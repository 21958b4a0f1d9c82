public import Foundation

/// The functions that read and change the fields of a record, or its encrypted fields.
public protocol CKRecordKeyValueSetting: NSObjectProtocol {
    /// Returns the value of a field; nil if there is none.
    func object(forKey key: CKRecord.FieldKey) -> (any __CKRecordObjCValue)?
    /// Sets the value of a field, or removes the field.
    func setObject(_ object: (any __CKRecordObjCValue)?, forKey key: CKRecord.FieldKey)
    /// The value of a field; nil if there is none.
    @_disfavoredOverload
    subscript(key: CKRecord.FieldKey) -> (any __CKRecordObjCValue)? { get set }
    /// The names of all fields that have a value.
    func allKeys() -> [CKRecord.FieldKey]
    /// The names of the fields that have changed since the record was fetched or saved.
    func changedKeys() -> [CKRecord.FieldKey]
}

extension CKRecordKeyValueSetting {
    /// The value of a field, if it can be read as this type.
    public subscript<T: CKRecordValueProtocol>(key: CKRecord.FieldKey) -> T? {
        get { object(forKey: key) as? T }
        set { setAny(newValue, key) }
    }

    /// The value of a field.
    public subscript(key: CKRecord.FieldKey) -> (any CKRecordValueProtocol)? {
        get { object(forKey: key) as? any CKRecordValueProtocol }
        set { setAny(newValue, key) }
    }

    private func setAny(_ value: Any?, _ key: String) {
        setObject(value.map { fieldContent(of: $0, for: key).value }, forKey: key)
    }

    /// Returns an iterator over all fields and their values, in no particular order.
    public func makeIterator() -> CKRecordKeyValueIterator { CKRecordKeyValueIterator(self) }
}

extension CKRecord: CKRecordKeyValueSetting, Sequence {}

/// Goes through the fields of a record.
public struct CKRecordKeyValueIterator: IteratorProtocol {
    private let fields: any CKRecordKeyValueSetting
    private var keys: IndexingIterator<[CKRecord.FieldKey]>

    init(_ fields: any CKRecordKeyValueSetting) {
        self.fields = fields
        keys = fields.allKeys().makeIterator()
    }

    /// Returns the next field and its value. Fields that were removed since the iterator was made are left out.
    public mutating func next() -> (CKRecord.FieldKey, any CKRecordValueProtocol)? {
        while let key = keys.next() {
            if let value = fields.object(forKey: key) as? any CKRecordValueProtocol { return (key, value) }
        }
        return nil
    }
}
