import ArgumentParser
import CloudKitQuery
import CommandLineSession

/// `zonda query check`: needs no server.
struct QueryCheck: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Read a predicate without a server, and print it as requests have it.",
        discussion: """
            \(PredicateSpelling.help)

            Prints an element of filterBy, with --json in one line. A predicate that cannot be read is told on \
            standard error with its column, with --json as {"error":…,"column":…}, and the exit status is 1. What \
            types fields have, and whether a regular expression is one, only the service knows.

            EXAMPLES
              zonda query check "title BEGINSWITH 'M' AND n > 5"
              zonda query check '%K IN %@ OR due < now()' tags strings:home,shop
            """)

    @OptionGroup var global: GlobalOptions

    @Argument(help: "The predicate.")
    var format: String

    @Argument(help: ArgumentHelp("What is put in for %@ and the like.", valueName: "arg"))
    var arguments: [String] = []

    func validate() throws { _ = try PredicateSpelling(format, arguments) }

    func run() async throws {
        try await global.failing {
            let predicate = try PredicateSpelling(format, arguments).predicate(now: Moment.now)
            Console.print(Self.text(predicate, isForPeople: !global.json))
        }
    }

    /// What is printed.
    static func text(_ predicate: Predicate, isForPeople: Bool) -> String {
        isForPeople ? predicate.json.indented() : predicate.json.text
    }
}
