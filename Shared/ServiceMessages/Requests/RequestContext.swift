package import AMQPClient
package import CloudKitModel
internal import Foundation

/// The validated headers of a request, which specify the database on which the request acts and the user on whose
/// behalf it acts.
package struct RequestContext: Sendable {
    /// The container's identifier; empty for operations without a scope.
    package var container: String
    /// The environment; meaningless for operations without a scope.
    package var environment: EnvironmentName
    /// The database; meaningless for operations without a scope.
    package var scope: DatabaseScope
    /// The acting user; ``world`` if no user is signed in.
    package var user: String
    /// The verified email address of the acting user, in lower case; nil if the request contains no address.
    /// Invitations to shares can name an address.
    package var email: String?
    /// The client that sent the request; nil if the request does not name a client. Events name the client too, so that
    /// it can ignore its own changes.
    package var client: String?
    /// The session in which the user acts; nil if the request does not name a session.
    package var session: String?
    /// Whether the request comes from CloudKit's web interface, whose rules differ in places from those of the native
    /// interface.
    package var isFromWeb: Bool
    /// The time after which the request is dropped, in milliseconds since 1970; nil if there is no deadline.
    package var deadline: Int64?
    /// The request's id in logs and errors.
    package var requestID: String
    /// The trace to which the request belongs. A malformed trace header is ignored, as the standard requires.
    package var trace: TraceParent?

    /// The acting user of requests without a signed-in user.
    package static let world = "_world"
    /// The value of ``Header/interface`` for CloudKit's web interface.
    package static let web = "web"
    /// The zone owner name that denotes the caller.
    package static let defaultOwner = "__defaultOwner__"

    /// In the shared database, the owner of the zone that the request names; otherwise nil.
    package var zoneOwner: String?

    /// The owner of the addressed database, as it is stored in the database table. In the shared database, the owner is
    /// "" unless the request names a zone's owner; no database belongs to "".
    package var databaseOwner: String {
        switch scope {
        case .public: ZoneAddress.publicOwner
        case .private: user
        case .shared: zoneOwner ?? ""
        }
    }

    /// Returns the full name of a zone in the addressed database.
    package func address(ofZone zone: ZoneName) -> ZoneAddress {
        ZoneAddress(
            container: container, environment: environment, scope: scope == .public ? .public : .private,
            owner: databaseOwner, zone: zone)
    }

    /// Validates the headers of a request for `operation`.
    ///
    /// - Throws: a ``ServerError``, which applies to the whole request and names the invalid header.
    package init(_ properties: AMQPProperties, operation: Operation) throws(ServerError) {
        let headers = properties.headers
        requestID = Self.requestID(of: properties)
        trace = TraceParent(headers)
        if let version = try Self.number(Header.version, headers), version != 1 {
            throw .badHeader(Header.version, "Version \(version) is not supported; use version 1", .versionNotSupported)
        }
        if operation.isWrite, (properties.messageID ?? "").isEmpty {
            throw .badHeader(
                "message-id", "A write requires a message-id, which identifies its repeats", .messageIDRequired)
        }
        try Self.checkText(properties.messageID, "message-id")
        try Self.checkText(headers.string(Header.requestID), Header.requestID)
        deadline = try Self.number(Header.deadline, headers)
        client = headers.string(Header.client)
        try Self.checkText(client, Header.client)
        email = headers.string(Header.identity)?.lowercased()
        try Self.checkText(email, Header.identity)
        session = headers.string(Header.session)
        try Self.checkText(session, Header.session)
        isFromWeb = try Self.isFromWeb(headers)
        user = headers.string(Header.user) ?? Self.world
        do {
            _ = try UserName(validating: user)
        } catch {
            throw ServerError(error, field: Header.user)
        }
        guard operation.isScoped else {
            (container, environment, scope) = ("", .development, .public)
            return
        }
        container = try Self.required(Header.container, headers)
        guard container.utf8.count <= 255, container.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw .badHeader(
                Header.container, "Invalid container identifier; use at most 255 visible ASCII characters",
                .containerInvalid)
        }
        let environment = try Self.required(Header.environment, headers)
        guard let environment = EnvironmentName(rawValue: environment) else {
            throw .badHeader(
                Header.environment, "Unknown environment '\(environment)'; use 'development' or 'production'",
                .environmentInvalid)
        }
        self.environment = environment
        let database = try Self.required(Header.database, headers)
        guard let scope = DatabaseScope(wireName: database) else {
            throw .badHeader(
                Header.database, "Unknown database '\(database)'; use 'public', 'private' or 'shared'",
                .databaseInvalid)
        }
        self.scope = scope
        if scope != .public, user == Self.world {
            throw ServerError(.authenticationRequired, "request needs authorization", field: Header.user)
        }
    }

    /// Returns the id of a request for logs and errors, even if the request is refused. This is the id that the sender
    /// chose, or a new one if that id is missing or not safe to log.
    package static func requestID(of properties: AMQPProperties) -> String {
        for id in [properties.headers.string(Header.requestID), properties.messageID] {
            if let id, !id.isEmpty, isSound(id) { return id }
        }
        return UUID().uuidString.lowercased()
    }

    /// Returns whether the deadline has passed at `now` (milliseconds since 1970).
    package func isExpired(at now: Int64) -> Bool { deadline.map { $0 < now } ?? false }

    private static func isFromWeb(_ headers: AMQPTable) throws(ServerError) -> Bool {
        guard let value = headers[Header.interface] else { return false }
        switch value {
        case .string("native"): return false
        case .string(web): return true
        default: throw .badHeader(Header.interface, "Unknown interface; use 'native' or 'web'", .headerInvalid)
        }
    }

    /// Returns the value of a numeric header; nil if it is absent. A value of another type is refused, because a
    /// request whose deadline is ignored would never expire.
    private static func number(_ name: String, _ headers: AMQPTable) throws(ServerError) -> Int64? {
        guard let value = headers[name] else { return nil }
        guard let number = headers.int64(name) else {
            throw .badHeader(name, "The header '\(name)' must be a number, not \(value)", .headerInvalid)
        }
        return number
    }

    /// Checks that a string to be stored or logged is at most 255 bytes long and contains no control characters.
    private static func checkText(_ text: String?, _ name: String) throws(ServerError) {
        guard let text, !isSound(text) else { return }
        throw .badHeader(
            name, "'\(name)' must be at most 255 bytes long and contain no control characters", .headerInvalid)
    }

    private static func isSound(_ text: String) -> Bool {
        text.utf8.count <= 255 && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }

    private static func required(_ name: String, _ headers: AMQPTable) throws(ServerError) -> String {
        guard let value = headers.string(name), !value.isEmpty else {
            throw .badHeader(name, "The header '\(name)' is missing", .headerMissing)
        }
        return value
    }
}

extension ServerError {
    fileprivate static func badHeader(_ header: String, _ reason: String, _ reasonCode: ReasonCode) -> ServerError {
        ServerError(reasonCode, reason, field: header)
    }
}
