import CloudKitWire
import ServiceMessages
import TestSupport

/// The target and the users of hostile requests.
struct HostileGround: Sendable {
    /// The maximum time to wait for an outcome. It is longer than the services' own limits.
    static let patience = Duration.seconds(30)

    let stack: ServiceStack
    let deadLetters: DeadLetterWatch
    /// A user who has signed in to the honest clients' container.
    let user: GatewayClient
    /// Another user of that container, with zones and records for the known attacks.
    let client: TestClient
    let seed: UInt64

    /// Creates the hostile user, and the zones and records that the known attacks need.
    ///
    /// - Throws: an error if a service does not answer.
    init(on stack: ServiceStack, deadLetters: DeadLetterWatch, seed: UInt64) async throws {
        self.stack = stack
        self.deadLetters = deadLetters
        self.seed = seed
        user = try await GatewayClient.user(stack)
        client = stack.client()
        _ = try await stack.client().ask(.containersCreate, ["container": "com.example.hostile"])
        try await client.zones("create", KnownAttacks.zone, KnownAttacks.heldZone)
        try await KnownAttacks.prepare(client)
    }
}
