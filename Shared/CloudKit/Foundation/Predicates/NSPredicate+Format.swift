internal import CloudKitModel
internal import CloudKitQuery
public import Foundation

/// The predicates that a format string describes. Foundation's class on Linux has no formats. `NSPredicate(format:)`
/// returns a comparison or a compound predicate, and only an initializer in a protocol's extension can return an instance
/// of a subclass.
///
/// A format that cannot be parsed, or that CloudKit has no equivalent for, does not stop the program. The predicate then
/// has the given text as its `predicateFormat`, matches nothing, and every request that uses it fails with
/// `CKError.invalidArguments` and a description that names the column.
public protocol NSPredicateFormatting {}

extension NSPredicate: NSPredicateFormatting {}

extension NSPredicateFormatting where Self: NSPredicate {
    /// Creates a predicate from a format, such as `title BEGINSWITH %@ AND n > 5`, and the arguments of its
    /// placeholders. ``NSPredicateFormatting`` says what happens if the format cannot be used.
    public init(format predicateFormat: String, _ args: any CVarArg...) {
        self.init(format: predicateFormat, argumentArray: args)
    }

    /// Creates a predicate from a format and the arguments of its placeholders. ``NSPredicateFormatting`` says what
    /// happens if the format cannot be used.
    public init(format predicateFormat: String, argumentArray arguments: [Any]?) {
        let predicate = ParsedPredicate.predicate(predicateFormat, arguments ?? [])
        guard let predicate = predicate as? Self else {
            preconditionFailure("The format '\(predicateFormat)' does not describe a predicate of class \(Self.self)")
        }
        self = predicate
    }
}
