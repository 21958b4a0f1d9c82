import ArgumentParser
import CloudKitQuery
import CommandLineSession

/// `zonda query check`, which needs no server.
struct QueryCheck: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check a predicate without a server, and print it as JSON.",
        discussion: """
            \(PredicateSpelling.help)

            Prints the predicate as an element of filterBy; with --json, on one line. If the predicate is invalid, \
            prints the error and its column to standard error (with --json, as {"error":…,"column":…}) and exits with \
            status 1. Field types and regular expressions are checked only by the service.

            EXAMPLES
              zonda query check "title BEGINSWITH 'M' AND n > 5"
              zonda query check '%K IN %@ OR due < now()' tags strings:home,shop
            """)

    @OptionGroup var global: GlobalOptions

    @Argument(help: "The predicate.")
    var format: String

    @Argument(help: ArgumentHelp("The arguments for %@ and other placeholders.", valueName: "arg"))
    var arguments: [String] = []

    func validate() throws { _ = try PredicateSpelling(format, arguments) }

    func run() async throws {
        try await global.failing {
            let predicate = try PredicateSpelling(format, arguments).predicate(now: Moment.now)
            Console.print(Self.text(predicate, isForPeople: !global.json))
        }
    }

    /// Returns the output.
    static func text(_ predicate: Predicate, isForPeople: Bool) -> String {
        isForPeople ? predicate.json.indented() : predicate.json.text
    }
}
