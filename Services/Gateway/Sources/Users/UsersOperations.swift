internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import GatewayStorage
internal import HTTPTypes

/// The `users/…` endpoints, which the gateway answers from its accounts (web-services 2.17).
///
/// A look-up finds only users who have agreed to be found. All other users are omitted, just like users who do not
/// exist. There are no address books, so a request for the users in the caller's address book finds none.
struct UsersOperations: Sendable {
    let accounts: any UserDirectory
    /// Called with the id of a session that has been ended.
    var onSignOut: @Sendable (UUID) -> Void = { _ in }

    /// Returns the response for a user who has signed in, or for a server-to-server key.
    ///
    /// - Throws: `ServerError` or `PostgresError`.
    func answer(to request: GatewayRequest, at path: EndpointPath, for caller: Caller) async throws -> GatewayAnswer {
        switch path.endpoint {
        case .usersCaller: return try await self.caller(caller)
        case .usersCurrent: return try await current(caller)
        case .usersSignOut: return try await signOut(caller)
        case .usersDiscover:
            // GET, and POST without `lookupInfos`, request the address book.
            let lookups =
                request.method == .post ? try UserLookup.list("lookupInfos", in: Self.body(request)) : nil
            return try await found(lookups ?? [], for: caller, in: path.container)
        case .usersLookupEmail, .usersLookupID:
            guard let lookups = try UserLookup.list("users", in: Self.body(request)) else {
                throw ServerError.missingKey("users")
            }
            return try await found(lookups, for: caller, in: path.container, asDictionaries: true)
        case .usersLookupContacts: return try await found([], for: caller, in: path.container)
        default: throw ServerError.operationUnknown(path.endpoint.rawValue)
        }
    }

    private static func body(_ request: GatewayRequest) throws(ServerError) -> JSONValue {
        try JSONValue(parsing: request.body)
    }

    // MARK: The caller

    /// Returns the caller's identity twice, directly and within `users`, because clients read one or the other.
    private func caller(_ caller: Caller) async throws -> GatewayAnswer {
        let account = try await account(of: caller)
        return Self.answer { writer in
            writer.identity(caller.userName, account, lookupInfo: account.map { .email($0.email) }, hasBothNames: true)
            writer.key("users")
            writer.array([account]) { writer, account in
                writer.object { writer in
                    writer.identity(caller.userName, account, lookupInfo: account.map { .email($0.email) })
                }
            }
        }
    }

    private func current(_ caller: Caller) async throws -> GatewayAnswer {
        let account = try await account(of: caller)
        return Self.answer { writer in
            writer.member("userRecordName", caller.userName)
            for (key, name) in [("firstName", account?.givenName), ("lastName", account?.familyName)] {
                writer.key(key)
                if let name { writer.string(name) } else { writer.null() }
            }
        }
    }

    /// Returns the account of a caller; nil for a server-to-server key, which has none.
    private func account(of caller: Caller) async throws -> Account? {
        switch caller.kind {
        case .serverKey: return nil
        case .user(let id):
            if let account = try await accounts.account(id: id) { return account }
            // The account has been removed since the caller was authenticated.
            throw ServerError(.authenticationRequired, "request needs authorization")
        case .world: throw ServerError(.authenticationRequired, "request needs authorization")
        }
    }

    /// Returns the email address of a caller's account; nil if the caller has no account. An operator or the user's
    /// sign-in has verified the address.
    ///
    /// - Throws: `AUTHENTICATION_REQUIRED` or `PostgresError`.
    func email(of caller: Caller) async throws -> String? { try await account(of: caller)?.email }

    /// Ends the caller's session, together with its tokens and clients. The user's other sessions are not affected.
    private func signOut(_ caller: Caller) async throws -> GatewayAnswer {
        guard let session = caller.session, try await accounts.endSession(session) else {
            throw ServerError(.authenticationRequired, "request needs authorization")
        }
        onSignOut(session)
        return Self.answer { $0.member("signedOut", true) }
    }

    // MARK: Other users

    private struct Found {
        let lookup: UserLookup
        let user: ContainerUser
    }

    /// Returns the requested users, in the order of the request. Leaves out users who do not exist and, except for the
    /// caller, users who have not agreed to be found.
    private func found(
        _ lookups: [UserLookup], for caller: Caller, in container: String, asDictionaries: Bool = false
    ) async throws -> GatewayAnswer {
        let emails = lookups.compactMap { if case .email(let email) = $0 { email } else { nil } }
        let names = lookups.compactMap { if case .name(let name) = $0 { name } else { nil } }
        var byEmail: [String: ContainerUser] = [:]
        var byName: [String: ContainerUser] = [:]
        if !emails.isEmpty {
            for user in try await accounts.users(emails: emails, in: container) {
                if let key = EmailAddress(user.account.email)?.key { byEmail[key] = user }
            }
        }
        if !names.isEmpty {
            for user in try await accounts.users(names: names, in: container) { byName[user.userName] = user }
        }
        let found = lookups.compactMap { lookup -> Found? in
            let user =
                switch lookup {
                case .email(let email): EmailAddress(email).flatMap { byEmail[$0.key] }
                case .name(let name): byName[name]
                case .unknown: nil as ContainerUser?
                }
            guard let user, user.account.isDiscoverable || user.userName == caller.userName else { return nil }
            return Found(lookup: lookup, user: user)
        }
        return Self.answer { writer in
            writer.key("users")
            writer.array(found) { writer, found in
                writer.object { writer in
                    writer.identity(
                        found.user.userName, found.user.account, lookupInfo: found.lookup,
                        hasBothNames: asDictionaries)
                    if asDictionaries, case .email(let email) = found.lookup { writer.member("emailAddress", email) }
                }
            }
        }
    }

    private static func answer(_ body: (inout WireWriter) -> Void) -> GatewayAnswer {
        var writer = WireWriter()
        writer.object(body)
        return GatewayAnswer(json: writer.bytes)
    }
}

extension WireWriter {
    /// Writes the members of a user identity (web-services 3.9), or only the name if there is no account.
    ///
    /// - Parameter hasBothNames: whether to add the older keys of a user dictionary.
    fileprivate mutating func identity(
        _ userName: String, _ account: Account?, lookupInfo: UserLookup?, hasBothNames: Bool = false
    ) {
        member("userRecordName", userName)
        guard let account else { return }
        key("nameComponents")
        object { writer in
            writer.member("givenName", account.givenName)
            writer.member("familyName", account.familyName)
        }
        if let lookupInfo {
            key("lookupInfo")
            object { writer in
                switch lookupInfo {
                case .email(let email): writer.member("emailAddress", email)
                case .name(let name): writer.member("userRecordName", name)
                case .unknown: break
                }
            }
        }
        guard hasBothNames else { return }
        member("firstName", account.givenName)
        member("lastName", account.familyName)
    }
}
