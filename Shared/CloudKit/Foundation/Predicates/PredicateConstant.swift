internal import CloudKitModel
internal import CloudKitQuery
internal import Foundation

/// A value of another group of types, such as a reference, with which a field can be compared.
protocol PredicateComparable {
    /// The value as it is sent to a server.
    var comparedValue: FieldValue { get }
}

/// The conversion of the values with which predicates compare fields.
enum PredicateConstant {
    /// Returns the argument for a placeholder.
    ///
    /// - Throws: A fault for a value with which no field can be compared.
    static func argument(_ object: Any, for place: FormatPlaceholder) throws(PredicateFault) -> FormatArgument {
        guard let object = unwrapped(object), !(object is NSNull) else { return .null }
        if place == .keyPath, let path = object as? String { return .keyPath(path) }
        return .value(try value(object))
    }

    /// Returns a value as it is sent to a server.
    ///
    /// - Throws: A fault for a value with which no field can be compared.
    static func value(_ object: Any) throws(PredicateFault) -> FieldValue {
        switch object {
        case let value as any PredicateComparable: return value.comparedValue
        case let text as String: return .string(text)
        case let flag as Bool: return .int64(flag ? 1 : 0)
        case let date as Date: return try timestamp(date)
        case let data as Data: return .bytes(Array(data))
        case let number as NSNumber: return try self.number(number)
        case let set as NSSet: return try list(set.allObjects)
        case let set as NSOrderedSet: return try list(set.array)
        case let elements as [Any]: return try list(elements)
        case let elements as Set<AnyHashable>: return try list(elements.map(\.base))
        default:
            throw PredicateFault(
                printed(object), "a field cannot be compared with a value of type \(type(of: object))")
        }
    }

    private static func list(_ elements: [Any]) throws(PredicateFault) -> FieldValue {
        var values: [FieldValue] = []
        for element in elements {
            guard let element = unwrapped(element), !(element is NSNull) else {
                throw PredicateFault("nil", "a list of values must not contain nil")
            }
            values.append(try value(element))
        }
        return .list(values, of: values.first?.type?.base)
    }

    private static func timestamp(_ date: Date) throws(PredicateFault) -> FieldValue {
        guard let milliseconds = Int64(exactly: (date.timeIntervalSince1970 * 1000).rounded()) else {
            throw PredicateFault(printed(date), "the date is out of range")
        }
        return .timestamp(milliseconds)
    }

    private static func number(_ number: NSNumber) throws(PredicateFault) -> FieldValue {
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "d"), UInt8(ascii: "f"): return .double(number.doubleValue)
        case UInt8(ascii: "Q"), UInt8(ascii: "L"):
            guard let whole = Int64(exactly: number.uint64Value) else { return .double(number.doubleValue) }
            return .int64(whole)
        default: return .int64(number.int64Value)
        }
    }

    /// Returns the value of an optional that was passed as Any; nil if it has none.
    static func unwrapped(_ object: Any) -> Any? {
        guard let optional = object as? any OptionalArgument else { return object }
        return optional.wrapped.flatMap(unwrapped)
    }

    /// Returns a value as Foundation prints it within a predicate.
    static func printed(_ object: Any) -> String {
        switch object {
        case let text as String: quoted(text)
        case let flag as Bool: flag ? "1" : "0"
        case let date as Date: "CAST(\(String(format: "%.6f", date.timeIntervalSinceReferenceDate)), \"NSDate\")"
        case let number as NSNumber: number.stringValue
        case let set as NSSet: printed(list: set.allObjects)
        case let set as NSOrderedSet: printed(list: set.array)
        case let elements as [Any]: printed(list: elements)
        case let elements as Set<AnyHashable>: printed(list: elements.map(\.base))
        default: "\(object)"
        }
    }

    private static func printed(list: [Any]) -> String { "{\(list.map(printed).joined(separator: ", "))}" }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}

/// An optional value that was passed as Any.
private protocol OptionalArgument {
    var wrapped: Any? { get }
}

extension Optional: OptionalArgument {
    fileprivate var wrapped: Any? { self }
}
