import ArgumentParser
import CloudKitQuery
import CommandLineSession

/// A predicate on the command line: a format, and an argument for each of its placeholders.
struct PredicateSpelling: Equatable, Sendable {
    /// The syntax, for help texts.
    static let help = """
        Predicates have the syntax of NSPredicate. Each placeholder takes an argument:
          %K          the name of a field
          %d %i …     an integer; %f %g … a number; %s a string
          %@          a string, or a value with its type: int64:5, double:1.5,
                      timestamp:2026-01-15T18:00:00Z, reference:note-1,
                      location:48.85,2.35, strings:a,b, int64s:1,2, doubles:…,
                      timestamps:…, references:…, or null: for no value. A
                      string that begins with a type and a colon needs the
                      prefix string:
        If an argument begins with '-', write '--' before the predicate.
        """

    /// The predicate in NSPredicate's syntax.
    let format: String
    /// The arguments for the placeholders.
    let arguments: [FormatArgument]

    /// Creates a predicate. Surplus arguments are refused when the predicate is parsed.
    ///
    /// - Throws: a `ValidationError` for an argument that its placeholder does not accept.
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

    /// Parses the predicate.
    ///
    /// - Parameter now: the value of `now()`, in milliseconds since 1970.
    /// - Throws: the first error and its position.
    func predicate(now: Int64) throws(PredicateFault) -> Predicate {
        do {
            return try Predicate(format: format, arguments, now: now)
        } catch {
            throw PredicateFault(format: format, error: error)
        }
    }
}
