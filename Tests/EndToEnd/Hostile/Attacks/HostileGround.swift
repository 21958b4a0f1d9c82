import CloudKitWire
import ServiceMessages
import TestSupport

/// What hostile requests are sent to, and as whom.
struct HostileGround: Sendable {
    /// Longer than the services' own limits.
    static let patience = Duration.seconds(30)

    let stack: ServiceStack
    let deadLetters: DeadLetterWatch
    /// Who has signed in, in the honest clients' container.
    let user: GatewayClient
    /// Zones and records for the known attacks, as another user of that container.
    let client: TestClient
    let seed: UInt64

    /// Makes the hostile user and what the known attacks need.
    ///
    /// - Throws: when a service does not answer.
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
