import ArgumentParser
import CloudKitQuery
import CloudKitWire

extension QueryKey {
    /// The field that an argument names as predicates do: `title`, `creationDate`, `#recordID` for a type's own field
    /// of that name.
    ///
    /// - Throws: a `ValidationError` for what is no field.
    static func parse(_ argument: String) throws -> QueryKey {
        let key = argument.hasPrefix("#") ? .field(String(argument.dropFirst())) : QueryKey(predicateName: argument)
        switch key {
        case .field(""): throw ValidationError("A field has a name")
        case .allTokens: throw ValidationError("'\(argument)' is searched, and is no field")
        default: return key
        }
    }

    /// The `fieldName`, if it is the type's.
    var fieldName: String? { if case .field(let name) = self { name } else { nil } }

    /// The `systemFieldName`, if it is the system's.
    var systemFieldName: String? { if case .system(let key) = self { key.rawValue } else { nil } }
}

extension Sort {
    /// The spellings, for help texts.
    static let spellings = "FIELD, FIELD:desc, or FIELD:near=48.85,2.35 for the nearest first."

    /// Reads one of ``spellings``.
    ///
    /// - Throws: a `ValidationError` that shows them.
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
        default: throw ValidationError("'\(argument)' is no sort; write \(spellings)")
        }
    }
}
