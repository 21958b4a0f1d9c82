internal import CloudKitModel
internal import CloudKitWire

/// A registration of this process for the notifications of its user.
struct CourierRegistration: Sendable {
    /// How long a registration is used before it is renewed. The server keeps it for twelve hours.
    static let life: Duration = .seconds(4 * 3600)

    /// The token, which anyone who has it can use to read the notifications.
    let token: String
    /// The address of the notifications.
    let url: String
    /// Whether notifications may have been lost, because the server did not know an earlier token.
    let isNew: Bool
    private let madeAt = ContinuousClock.now

    /// Whether the registration must be renewed.
    var isOld: Bool { .now - madeAt > Self.life }

    /// Registers this process. Uses an earlier token, if the server still knows it.
    ///
    /// - Throws: the server's error, or a network error.
    init(_ connection: WebConnection, token: String?) async throws(CKError) {
        if let token {
            do throws(CKError) {
                try await self.init(connection, "tokens/register", ["apnsToken": .string(token)], isNew: false)
                return
            } catch {
                guard error.code == .invalidArguments || error.code == .unknownItem else { throw error }
            }
        }
        try await self.init(connection, "tokens/create", [:], isNew: true)
    }

    private init(
        _ connection: WebConnection, _ action: String, _ extra: [String: JSONValue], isNew: Bool
    ) async throws(CKError) {
        var members = [
            JSONValue.Member("apnsEnvironment", .string(connection.place.environment)),
            JSONValue.Member("clientId", .string(connection.clientID)),
        ]
        members += extra.map { JSONValue.Member($0.key, $0.value) }
        let body = JSONValue.object(members).encoded()
        let text = try await connection.send(WebRequest(device: action, body: body))
        let answer = try? JSONValue(parsing: text)
        guard let token = answer?["apnsToken"]?.string, let url = answer?["webcourierURL"]?.string else {
            throw .unexpectedAnswer("it does not say where notifications can be read")
        }
        (self.token, self.url, self.isNew) = (token, url, isNew)
    }
}
