import ArgumentParser
import CloudKitQuery
import CloudKitWire

extension QueryKey {
    /// Parses a field name as written in predicates: `title`, `creationDate`, or `#recordID` for a custom field named
    /// `recordID`.
    ///
    /// - Throws: a `ValidationError` if the argument does not name a field.
    static func parse(_ argument: String) throws -> QueryKey {
        let key = argument.hasPrefix("#") ? .field(String(argument.dropFirst())) : QueryKey(predicateName: argument)
        switch key {
        case .field(""): throw ValidationError("The field name is empty")
        case .allTokens: throw ValidationError("'\(argument)' is not a field; it can be used only in searches")
        default: return key
        }
    }

    /// The `fieldName` of a custom field.
    var fieldName: String? { if case .field(let name) = self { name } else { nil } }

    /// The `systemFieldName` of a system field.
    var systemFieldName: String? { if case .system(let key) = self { key.rawValue } else { nil } }
}

extension Sort {
    /// The syntax, for help texts.
    static let spellings = "FIELD, FIELD:desc, or FIELD:near=48.85,2.35 to sort by distance."

    /// Parses one of ``spellings``.
    ///
    /// - Throws: a `ValidationError` that shows the syntax.
    static func parse(_ argument: String) throws -> Sort {
        let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let key = try QueryKey.parse(parts[0])
        switch parts.dropFirst().first {
        case nil, "asc": return Sort(key)
        case "desc": return Sort(key, ascending: false)
        case let near? where near.hasPrefix("near="):
            do {
                return Sort(key, relativeLocation: try ValueSpelling.location(String(near.dropFirst(5))))
            } catch {
                throw ValidationError(error.description)
            }
        default: throw ValidationError("'\(argument)' is not a sort key: use \(spellings)")
        }
    }
}
