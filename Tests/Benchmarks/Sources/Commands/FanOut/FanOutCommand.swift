internal import ArgumentParser
internal import CloudKitWire

/// `zonda-limits fan-out`.
struct FanOutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fan-out",
        abstract: "Notifications a second of the running service, and of a bare publisher with the same messages.",
        discussion: """
            'zone': so many queues are bound to one zone, and records are saved in it. 'users': so many users have saved \
            a query subscription in the public database, and each record that is saved matches them all. Then what came \
            is published again, to the same exchange and the same queues. From the first save, or publish, to the last \
            receipt. Prints {"notifications", "seconds", "perSecond", "barePerSecond"}.
            """)

    @Argument(help: "zone or users.")
    var kind: FanOut.Kind

    @Option(help: "Queues or users.")
    var listeners = 500

    @Option(help: "Records that are saved.")
    var changes = 100

    func validate() throws {
        guard (1...2000).contains(listeners), (1...100_000).contains(changes) else {
            throw ValidationError("--listeners 1 to 2000, --changes 1 to 100000")
        }
    }

    func run() async throws {
        let (service, bare) = try await FanOut(kind: kind, listeners: listeners, changes: changes).run()
        printLine(
            .object(
                service.members(unit: "notifications")
                    + [.init("barePerSecond", .double(bare.perSecond.rounded(places: 1)))]))
    }
}
