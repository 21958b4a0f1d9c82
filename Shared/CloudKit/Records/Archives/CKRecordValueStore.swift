internal import Foundation

/// The fields of a record in an archive.
class CKRecordValueStore: NSObject, NSSecureCoding {
    let fields: RecordFields

    private enum Key {
        static let values = "RecordValues"
        static let former = "OriginalValues"
        static let changed = "ChangedKeys"
    }

    /// The classes that archived values can have.
    private static let classes: [AnyClass] = [
        NSDictionary.self, NSArray.self, NSSet.self, NSString.self, NSNumber.self, NSDate.self, NSData.self, NSURL.self,
        CKAsset.self, CKReference.self, CKRecordID.self, CKRecordZoneID.self, CLLocation.self,
    ]

    init(_ fields: RecordFields) {
        self.fields = fields
        super.init()
    }

    static var supportsSecureCoding: Bool { true }

    required init?(coder: NSCoder) {
        let values = Self.contents(coder, Key.values)
        let former = Self.contents(coder, Key.former)
        let changed = Self.object(coder, Key.changed)
        var formerOfChanged: [String: FieldContent?] = [:]
        for key in Self.names(changed) { formerOfChanged.updateValue(former[key], forKey: key) }
        fields = RecordFields(values: values, former: formerOfChanged)
        super.init()
    }

    private static func object(_ coder: NSCoder, _ key: String) -> Any? {
        coder.containsValue(forKey: key) ? coder.decodeObject(of: classes, forKey: key) : nil
    }

    private static func contents(_ coder: NSCoder, _ key: String) -> [String: FieldContent] {
        var contents: [String: FieldContent] = [:]
        guard let dictionary = object(coder, key) as? NSDictionary else { return [:] }
        for case let (key as String, value) in dictionary.map({ ("\($0.key)", $0.value) }) {
            contents[key] = FieldContent(value)
        }
        return contents
    }

    private static func names(_ object: Any?) -> [String] {
        switch object {
        case let set as NSSet: set.allObjects.map { "\($0)" }
        case let array as NSArray: array.map { "\($0)" }
        default: []
        }
    }

    func encode(with coder: NSCoder) {
        coder.encode(Self.dictionary(fields.values), forKey: Key.values)
        coder.encode(Self.dictionary(fields.former.compactMapValues { $0 }), forKey: Key.former)
        coder.encode(NSSet(array: fields.former.keys.map { $0 as NSString }), forKey: Key.changed)
    }

    private static func dictionary(_ contents: [String: FieldContent]) -> NSDictionary {
        let dictionary = NSMutableDictionary()
        for (key, content) in contents { dictionary[key as NSString] = object(content) }
        return dictionary
    }

    private static func object(_ content: FieldContent) -> NSObject {
        switch content {
        case .string(let value): value as NSString
        case .number(let value): value
        case .date(let value): value as NSDate
        case .data(let value): value as NSData
        case .location(let value): value
        case .reference(let value): value
        case .asset(let value): value
        case .list(let elements): NSArray(array: elements.map(object))
        }
    }
}

/// The encrypted fields of a record in an archive.
final class CKEncryptedRecordValueStore: CKRecordValueStore {}
