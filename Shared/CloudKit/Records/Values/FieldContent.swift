internal import Foundation

/// The value of a field, in one of the forms that fields can have.
///
/// Lists contain elements of one kind; an empty list has none. Numbers are kept as `NSNumber`, so that they can be read
/// as every type of number that represents them exactly.
enum FieldContent: @unchecked Sendable {
    case string(String)
    case number(NSNumber)
    case date(Date)
    case data(Data)
    case location(CLLocation)
    case reference(CKReference)
    case asset(CKAsset)
    case list([FieldContent])

    /// Reads a value that an application has set; nil if fields cannot have such a value.
    init?(_ value: Any) {
        switch value {
        case let value as String: self = .string(value)
        case let value as NSString: self = .string(String(describing: value))
        case let value as NSNumber: self = .number(value)
        case let value as Bool: self = .number(NSNumber(value: value))
        case let value as any FixedWidthInteger: self = .number(Self.number(value))
        case let value as Double: self = .number(NSNumber(value: value))
        case let value as Float: self = .number(NSNumber(value: value))
        case let value as Date: self = .date(value)
        case let value as NSDate:
            self = .date(Date(timeIntervalSinceReferenceDate: value.timeIntervalSinceReferenceDate))
        case let value as Data: self = .data(value)
        case let value as NSData: self = .data(Data(referencing: value))
        case let value as CLLocation: self = .location(value)
        case let value as CKReference: self = .reference(value)
        case let value as CKAsset: self = .asset(value)
        case let value as NSArray: self.init(list: (0..<value.count).map { value.object(at: $0) })
        case let value as [Any]: self.init(list: value)
        default: return nil
        }
    }

    private init?(list: [Any]) {
        var elements: [FieldContent] = []
        elements.reserveCapacity(list.count)
        for element in list {
            guard let element = FieldContent(element), !element.isList else { return nil }
            elements.append(element)
        }
        self = .list(elements)
    }

    private static func number(_ value: some FixedWidthInteger) -> NSNumber {
        if let value = Int64(exactly: value) { return NSNumber(value: value) }
        return NSNumber(value: UInt64(truncatingIfNeeded: value))
    }

    private var isList: Bool { if case .list = self { true } else { false } }

    /// The value as applications receive it. Lists are arrays of one type.
    var value: any CKRecordValueProtocol & __CKRecordObjCValue {
        switch self {
        case .string(let value): value
        case .number(let value): value
        case .date(let value): value
        case .data(let value): value
        case .location(let value): value
        case .reference(let value): value
        case .asset(let value): value
        // Only the save refuses a list of several kinds.
        case .list(let elements):
            isUniform ? Self.array(elements) : NSArray(array: elements.map { $0.value })
        }
    }

    private static func array(_ elements: [FieldContent]) -> any CKRecordValueProtocol & __CKRecordObjCValue {
        switch elements.first {
        case .number: elements.compactMap { if case .number(let value) = $0 { value } else { nil } }
        case .date: elements.compactMap { if case .date(let value) = $0 { value } else { nil } }
        case .data: elements.compactMap { if case .data(let value) = $0 { value } else { nil } }
        case .location: elements.compactMap { if case .location(let value) = $0 { value } else { nil } }
        case .reference: elements.compactMap { if case .reference(let value) = $0 { value } else { nil } }
        case .asset: elements.compactMap { if case .asset(let value) = $0 { value } else { nil } }
        case .string, .list, nil: elements.compactMap { if case .string(let value) = $0 { value } else { nil } }
        }
    }

    /// The values of a list, or the value itself.
    var elements: [FieldContent] { if case .list(let elements) = self { elements } else { [self] } }

    /// Whether all elements of a list are of one kind.
    var isUniform: Bool {
        guard case .list(let elements) = self, let first = elements.first else { return true }
        return elements.allSatisfy { $0.kind == first.kind }
    }

    private var kind: Int {
        switch self {
        case .string: 0
        case .number: 1
        case .date: 2
        case .data: 3
        case .location: 4
        case .reference: 5
        case .asset: 6
        case .list: 7
        }
    }
}

extension NSNumber {
    /// Whether the number was made from a floating-point number.
    var isFloatingPoint: Bool {
        switch UInt8(bitPattern: objCType.pointee) {
        case UInt8(ascii: "f"), UInt8(ascii: "d"): true
        default: false
        }
    }
}
