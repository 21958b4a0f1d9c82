import ArgumentParser
import Testing

@testable import LoadGenerator

@Suite struct LoadParsingTests {
    @Test(
        arguments: [
            "records --reads 2",
            "records --duration soon",
            "records --zone-prefix a/b",
            "records --size 3",
            "records --participants 100",
            "records --participants -1",
            "records --participants 10 --shares 0",
            "records --shares 5",
            "records --participants 10 --gateway http://127.0.0.1:1",
            "subscriptions --kinds zone,other",
            "subscriptions --subscriptions -1",
            "subscriptions --users 0",
            "subscriptions --subscriptions 900 --users 1",
            "subscriptions --watchers 0",
            "subscriptions --zones 0",
            "subscriptions --operations 201",
            "assets --size 0",
            "assets --producers 0",
            "--duration 0s",
        ])
    func wrongUsageExitsWith64(line: String) {
        let error = #expect(throws: (any Error).self) {
            try LoadCommand.parseAsRoot(line.split(separator: " ").map(String.init))
        }
        #expect(error.map { LoadCommand.exitCode(for: $0) } == .validationFailure)
    }

    @Test(
        arguments: [
            "records --producers 4 --zones 100 --duration 20s --operations 1 --size 500 --reads 0.2 --rate 0 --verify",
            "--duration 1s",
            "records --participants 10 --shares 100 --zones 20 --verify",
            "--seed 5 --zones 3",
            "subscriptions --subscriptions 0",
            "subscriptions --kinds query,once --users 10",
            "subscriptions --producers 4 --zones 20 --watchers 50 --duration 20s --rate 10 --operations 5 --settle 1s",
            "assets --producers 4 --zones 4 --duration 20s --size 100000 --verify --in-flight 3",
        ])
    func rightUsageIsAccepted(line: String) throws {
        _ = try LoadCommand.parseAsRoot(line.split(separator: " ").map(String.init))
    }

    @Test func everyLoadsHelpHasAnExample() {
        for command in LoadCommand.configuration.subcommands {
            #expect(LoadCommand.helpMessage(for: command, columns: 100).contains("EXAMPLE"), "\(command)")
        }
    }
}
