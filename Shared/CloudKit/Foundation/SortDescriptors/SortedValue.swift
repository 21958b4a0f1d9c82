internal import CloudKitModel
internal import Foundation

/// The value by which an object is sorted.
struct SortedValue {
    private let value: FieldValue?

    init(_ object: Any, _ key: String?) {
        let subject = object as? any PredicateSubject ?? (object as? [String: Any]).map { $0 as NSDictionary }
        value = key.flatMap { subject?.predicateValue(forKey: $0) }.flatMap { try? PredicateConstant.value($0) }
    }

    /// Compares two values in the order of a server: strings by code points, and an absent value last.
    func compared(with other: SortedValue, isAscending: Bool) -> ComparisonResult {
        switch (value, other.value) {
        case (nil, nil): return .orderedSame
        case (nil, _): return .orderedDescending
        case (_, nil): return .orderedAscending
        case (let value?, let other?):
            let result = Self.compare(value, other)
            guard !isAscending else { return result }
            return ComparisonResult(rawValue: -result.rawValue) ?? .orderedSame
        }
    }

    private static func compare(_ value: FieldValue, _ other: FieldValue) -> ComparisonResult {
        switch (value, other) {
        case (.string(let value), .string(let other)): compare(scalars: value, other)
        case (.reference(let value), .reference(let other)):
            compare(scalars: value.recordName.rawValue, other.recordName.rawValue)
        case (.int64(let value), .int64(let other)), (.timestamp(let value), .timestamp(let other)):
            order(value < other, other < value)
        case (.int64(let value), .double(let other)): order(Double(value) < other, other < Double(value))
        case (.double(let value), .int64(let other)): order(value < Double(other), Double(other) < value)
        case (.double(let value), .double(let other)): order(value < other, other < value)
        default: .orderedSame
        }
    }

    private static func compare(scalars value: String, _ other: String) -> ComparisonResult {
        order(
            value.unicodeScalars.lexicographicallyPrecedes(other.unicodeScalars),
            other.unicodeScalars.lexicographicallyPrecedes(value.unicodeScalars))
    }

    private static func order(_ isLess: Bool, _ isGreater: Bool) -> ComparisonResult {
        isLess ? .orderedAscending : isGreater ? .orderedDescending : .orderedSame
    }
}
