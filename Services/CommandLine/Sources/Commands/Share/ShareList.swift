import ArgumentParser
import CloudKitModel
import CloudKitWire
import CommandLineSession

/// `zonda share list`.
struct ShareList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the shares in zones.",
        discussion: """
            Without --zone, lists the shares in all zones of the database. With --database shared, lists those that \
            the user has accepted. With --json, the shares contain their links.

            EXAMPLES
              zonda share list
              zonda share list --zone Notes --json
              zonda share list --database shared
            """)

    @OptionGroup var global: GlobalOptions

    @Option(help: "The record zone.")
    var zone: String?

    @Option(help: ArgumentHelp(ZonePlace.ownerHelp))
    var owner: String?

    func validate() throws {
        if owner != nil, zone == nil { throw ValidationError("--owner requires --zone") }
    }

    func run() async throws {
        let isShared = try global.scope().database == .shared
        try await global.withSession { session in
            var places = [ZonePlace]()
            if let zone {
                places = [ZonePlace(zone, owner: owner)]
            } else {
                // The default zone cannot contain shares.
                places = try await session.zones().filter { $0.name != "_defaultZone" }
                if !isShared { places = places.map { ZonePlace($0.name) } }
            }
            for place in places { try await list(place, session) }
        }
    }

    private func list(_ place: ZonePlace, _ session: BrokerSession) async throws(RequestFailure) {
        var feed = ZoneFeed(requester: session, zone: place.name, owner: place.owner, limit: .requestLimit)
        feed.desiredTypes = [ShareRecord.type]
        while let page = try await feed.nextPage() {
            for share in page where share["recordType"]?.string == ShareRecord.type && share["deleted"]?.bool != true {
                _ = global.show(share) { "\(place.name)  \(ShareLine.summary($0))" }
            }
        }
    }
}
