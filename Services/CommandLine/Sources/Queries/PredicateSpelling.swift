import ArgumentParser
import CloudKitQuery
import CommandLineSession

/// A predicate as the command line writes it: a format, and an argument for each of its places.
struct PredicateSpelling: Equatable, Sendable {
    /// The spellings, for help texts.
    static let help = """
        A predicate is written as for NSPredicate. Each %@, %K, %d … of it takes an argument:
          %K          the name of a field
          %d %i …     a whole number; %f %g … a number; %s a text
          %@          a text, or a value with its type: int64:5, double:1.5,
                      timestamp:2026-01-15T18:00:00Z, reference:note-1,
                      location:48.85,2.35, strings:a,b, int64s:1,2, doubles:…,
                      timestamps:…, references:…; null: is no value; string:
                      stands before a text that begins like one of these
        Arguments that begin with '-' follow a '--', and so does the predicate then.
        """

    /// The predicate in NSPredicate's syntax.
    let format: String
    /// What is put into its places.
    let arguments: [FormatArgument]

    /// The predicate `format` with `arguments`; those for which there is no place are refused when it is read.
    ///
    /// - Throws: a `ValidationError` for an argument that is not what its place takes.
    init(_ format: String, _ arguments: [String]) throws {
        let places = FormatPlaceholder.places(in: format)
        self.format = format
        self.arguments = try arguments.enumerated().map { index, text in
            do {
                return try FormatArgument(text, in: index < places.count ? places[index] : .text)
            } catch {
                throw ValidationError("Argument \(index + 1), '\(text)': \(error)")
            }
        }
    }

    /// Reads it.
    ///
    /// - Parameter now: What `now()` means, in milliseconds since 1970.
    /// - Throws: the first fault with its place.
    func predicate(now: Int64) throws(PredicateFault) -> Predicate {
        do {
            return try Predicate(format: format, arguments, now: now)
        } catch {
            throw PredicateFault(format: format, error: error)
        }
    }
}
