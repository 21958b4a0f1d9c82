internal import CloudKitModel
internal import CloudKitQuery
internal import Foundation

/// The conversion of formats to predicates.
enum ParsedPredicate {
    /// Returns the predicate that a format describes; a ``FaultyPredicate`` if the format cannot be used.
    static func predicate(_ format: String, _ arguments: [Any]) -> NSPredicate {
        let places = FormatPlaceholder.places(in: format)
        // As in C, there may be more arguments than placeholders.
        let arguments = Array(arguments.prefix(places.count))
        do throws(PredicateFault) {
            var values: [FormatArgument] = []
            for (place, argument) in zip(places, arguments) {
                values.append(try PredicateConstant.argument(argument, for: place))
            }
            return predicate(try tree(format, values), arguments)
        } catch {
            return FaultyPredicate(PredicateFault(format, error.reason))
        }
    }

    private static func tree(_ format: String, _ values: [FormatArgument]) throws(PredicateFault) -> FormatTree {
        let now = Int64((Date.now.timeIntervalSince1970 * 1000).rounded())
        do throws(PredicateFormatError) {
            return try ParsedFormat(format: format, values, now: now).tree
        } catch {
            throw PredicateFault(format, error.description)
        }
    }

    private static func predicate(_ tree: FormatTree, _ arguments: [Any]) -> NSPredicate {
        switch tree {
        case .constant(let value): NSPredicate(value: value)
        case .and(let parts): JoinedPredicate(type: .and, subpredicates: parts.map { predicate($0, arguments) })
        case .or(let parts): JoinedPredicate(type: .or, subpredicates: parts.map { predicate($0, arguments) })
        case .not(let part): JoinedPredicate(type: .not, subpredicates: [predicate(part, arguments)])
        case .comparison(let comparison):
            NSComparisonPredicate(
                expression(comparison.left, arguments), comparison.operation, comparison.options,
                expression(comparison.right, arguments),
                modifier: comparison.quantifier.map { $0 == .all ? .all : .any } ?? .direct)
        }
    }

    /// Returns the expression for one side of a comparison. The value of a placeholder is the argument itself.
    private static func expression(_ operand: FormatTree.Operand, _ arguments: [Any]) -> NSExpression {
        switch (operand.kind, operand.argument) {
        case (.value, let index?), (.list, let index?): NSExpression(forConstantValue: arguments[index])
        case (.value(let value), nil): expression(value)
        case (.list(let values), nil): NSExpression(forAggregate: values.map(expression))
        case (.key(let key), _): NSExpression(forKeyPath: key.formatSpelling)
        case (.itself, _): .expressionForEvaluatedObject()
        case (.null, _): NSExpression(forConstantValue: nil)
        case (.words(let text), _): function("tokenize", [text, "Cdl"])
        case (.distance(let key, let place), _):
            NSExpression(
                forFunction: "distanceToLocation:fromLocation:",
                arguments: [NSExpression(forKeyPath: key.formatSpelling), expression(.location(place))])
        }
    }

    private static func expression(_ value: FieldValue) -> NSExpression {
        switch value {
        case .string(let text): return NSExpression(forConstantValue: text)
        case .int64(let number): return NSExpression(forConstantValue: NSNumber(value: number))
        case .double(let number): return NSExpression(forConstantValue: NSNumber(value: number))
        case .timestamp(let milliseconds):
            return NSExpression(forConstantValue: Date(timeIntervalSince1970: Double(milliseconds) / 1000))
        case .reference(let reference):
            let zone = reference.zoneID
            let names = [reference.recordName.rawValue, zone?.zoneName.rawValue, zone?.ownerRecordName?.rawValue]
            return function("reference", names.compactMap { $0 })
        case .location(let location):
            return function("location", [NSNumber(value: location.latitude), NSNumber(value: location.longitude)])
        case .bytes(let bytes): return NSExpression(forConstantValue: Data(bytes))
        case .list(let values, _): return NSExpression(forAggregate: values.map(expression))
        case .asset: return NSExpression(forConstantValue: nil)
        }
    }

    private static func function(_ name: String, _ values: [Any]) -> NSExpression {
        NSExpression(forFunction: name, arguments: values.map { NSExpression(forConstantValue: $0) })
    }
}
