public import Foundation

/// A search for records of one type.
///
/// A predicate or a sort descriptor that no query can use does not stop the program. Every request with the query then
/// fails with `CKError.invalidArguments` and a description that says why.
open class CKQuery: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// The type of the records.
    public let recordType: CKRecord.RecordType
    /// The condition that the records must meet.
    public let predicate: NSPredicate
    private let sorts = Locked<[NSSortDescriptor]?>(nil)

    /// Creates a query. The predicate `NSPredicate(value: true)` finds all records of the type.
    public init(recordType: CKRecord.RecordType, predicate: NSPredicate) {
        self.recordType = recordType
        self.predicate = predicate
    }

    /// Creates a query from an archive.
    public required init(coder aDecoder: NSCoder) {
        recordType = aDecoder.decodeObject(of: NSString.self, forKey: ArchiveKey.recordType) as String? ?? ""
        predicate = NSPredicate.decoded(from: aDecoder, forKey: ArchiveKey.predicate)
        super.init()
        sorts.withLock { $0 = NSSortDescriptor.decoded(from: aDecoder, forKey: ArchiveKey.sortDescriptors) }
    }

    private enum ArchiveKey {
        static let recordType = "RecordType"
        static let predicate = "Predicate"
        static let sortDescriptors = "SortDescriptors"
    }

    /// Whether the class supports secure coding.
    public static var supportsSecureCoding: Bool { true }

    /// Encodes the query. The predicate is encoded as a format.
    open func encode(with coder: NSCoder) {
        coder.encode(recordType as NSString, forKey: ArchiveKey.recordType)
        predicate.encode(in: coder, forKey: ArchiveKey.predicate)
        NSSortDescriptor.encode(sortDescriptors, in: coder, forKey: ArchiveKey.sortDescriptors)
    }

    /// The order of the records, in decreasing order of precedence; nil for the order of their names.
    open var sortDescriptors: [NSSortDescriptor]? {
        get { sorts.copy }
        set { sorts.withLock { $0 = newValue } }
    }

    /// Returns a copy.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = CKQuery(recordType: recordType, predicate: predicate)
        copy.sortDescriptors = sortDescriptors
        return copy
    }

    /// The type, the predicate and the order.
    open override var description: String {
        let sorts = sortDescriptors.map { ", sortDescriptors=\($0)" } ?? ""
        return "<CKQuery: recordType=\(recordType), predicate=\(PredicateText.printed(predicate))\(sorts)>"
    }
}
