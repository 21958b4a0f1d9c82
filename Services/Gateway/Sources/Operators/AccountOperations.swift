internal import AMQPClient
internal import CloudKitModel
internal import Crypto
internal import GatewayStorage
internal import OperatorMessages
internal import PostgresClient
internal import RequestServing
internal import SignedTokens

/// `users.create`, `users.list`, `users.password` and `users.delete`, for operators.
///
/// The answer to each write is stored for a day and returned for any request with the same id. The stored data does not
/// help anyone guess a password: a request that contains a password is identified by a digest that is signed with the
/// deployment's keys.
struct AccountOperations: Sendable {
    let accounts: AccountStore
    let ledger: RequestLedger
    let containers: ContainerCheck
    /// The cost of new password hashes: see ``PasswordHash/usualCost``.
    let passwordCost: Int

    /// Creates an account. If the request names a container, the account gets a user record name in that container: the
    /// name in the request, or a new name. Data that was saved before the account existed might already belong to the
    /// name in the request.
    ///
    /// - Throws: `EXISTS` if the address, or the name in the container, belongs to another account; `BAD_REQUEST`;
    ///   `NOT_FOUND` if the container does not exist; or `PostgresError`.
    func create(_ request: OpenedRequest) async throws -> Answer {
        let body = try UserCreateRequest(request)
        let email = try EmailAddress(validating: body.email)
        let givenName = try body.givenName.map { try OperatorValues.name($0, "givenName") }
        let familyName = try body.familyName.map { try OperatorValues.name($0, "familyName") }
        let isDiscoverable = body.discoverable ?? false
        let container = try body.container.map { try OperatorValues.container($0) }
        let userName = body.userRecordName
        if let userName {
            guard container != nil else { throw ServerError.missingKey("container") }
            do throws(ValidationError) {
                guard try UserName(validating: userName) != .world else { throw Self.userNameIsWorld }
            } catch {
                throw ServerError(error, field: "userRecordName")
            }
        }
        let password = try await hash(body.password)
        if let container { try await containers.check(container, for: request) }
        return try await ledger.once(concealed(request), environment: 0) { connection in
            let account = NewAccount(
                email: email, givenName: givenName, familyName: familyName, password: password,
                isDiscoverable: isDiscoverable)
            guard let (id, createdAt) = try await AccountStore.add(account, on: connection) else {
                throw ServerError(.accountExists, "An account with this email address already exists", field: "email")
            }
            let bound = try await bind(id, container: container, name: userName, connection)
            return Answer(
                UserAccount(
                    email: email.text, givenName: givenName, familyName: familyName, discoverable: isDiscoverable,
                    hasPassword: password != nil, created: createdAt, container: container, userRecordName: bound))
        }
    }

    private static let userNameIsWorld = ValidationError(
        .userNameInvalid, "A user record name must be '_' followed by 32 lower-case hexadecimal digits")

    private func bind(
        _ account: Int64, container: String?, name: String?, _ connection: PostgresConnection
    ) async throws -> String? {
        guard let container else { return nil }
        guard let name else { return try await AccountStore.userName(of: account, in: container, on: connection) }
        guard try await AccountStore.addUser(name, of: account, in: container, on: connection) else {
            throw ServerError(
                .userNameTaken, "Another account has this name in the container", field: "userRecordName")
        }
        return name
    }

    /// Lists the accounts, ordered by address. To get the next page, a request passes the `after` value from the
    /// preceding page's answer.
    ///
    /// - Throws: `BAD_REQUEST` or `PostgresError`.
    func list(_ request: OpenedRequest) async throws -> Answer {
        let body = try UserListRequest(request)
        let limit = OperatorValues.pageLength(body.limit)
        let found = try await accounts.accounts(after: body.after ?? "", limit: limit + 1)
        let users = found.prefix(limit).map { listing in
            UserAccount(
                email: listing.account.email, givenName: listing.account.givenName,
                familyName: listing.account.familyName, discoverable: listing.account.isDiscoverable,
                hasPassword: listing.hasPassword, created: listing.createdAt,
                containers: listing.users.map { .init(container: $0.container, userRecordName: $0.userName) })
        }
        return Answer(
            UserListRequest.Answer(users: users, after: found.count > limit ? found[limit - 1].emailKey : nil))
    }

    /// Changes the password. If the request contains no new password, the old one is removed, and the account can no
    /// longer sign in with a password. All of the account's sessions end unless the request keeps them.
    ///
    /// - Throws: `NOT_FOUND` if the account does not exist, `BAD_REQUEST`, or `PostgresError`.
    func password(_ request: OpenedRequest) async throws -> Answer {
        let body = try UserPasswordRequest(request)
        let email = try EmailAddress(validating: body.email)
        let password = try await hash(body.password)
        return try await ledger.once(concealed(request), endingSignInsOf: accounts) { connection in
            let account = try await AccountStore.existingAccount(email, on: connection)
            try await AccountStore.setPassword(password, of: account, on: connection)
            let ended =
                body.keepsSignIns == true ? 0 : try await AccountStore.endSessions(of: account, on: connection)
            return Answer(
                UserPasswordRequest.Answer(email: email.text, hasPassword: password != nil, sessions: ended))
        }
    }

    /// Deletes an account and its sessions, subscriptions, clients and user record names. The records that its user
    /// saved remain. It is not an error if the account does not exist; `deleted` is then false.
    ///
    /// - Throws: `BAD_REQUEST` or `PostgresError`.
    func delete(_ request: OpenedRequest) async throws -> Answer {
        let email = try EmailAddress(validating: UserDeleteRequest(request).email)
        return try await ledger.once(request, endingSignInsOf: accounts) { connection in
            let isRemoved = try await AccountStore.removeAccount(of: email, on: connection)
            return Answer(UserDeleteRequest.Answer(email: email.text, deleted: isRemoved))
        }
    }

    private func hash(_ password: String?) async throws -> String? {
        guard let password else { return nil }
        try PasswordHash.check(password)
        return try await PasswordHash.inTurn { [passwordCost] in
            try PasswordHash.make(password, cost: passwordCost)
        }
    }

    /// Returns the request with a signed digest in place of its body. The identity of a request is stored for a day. If
    /// the identity were a plain hash of a body that contains a password, the password could be guessed at a billion
    /// attempts per second.
    private func concealed(_ request: OpenedRequest) -> OpenedRequest {
        var delivery = request.delivery
        let digest = Array(SHA256.hash(data: delivery.body))
        delivery.body = accounts.keys.sign(digest).suffix(SigningKeys.signatureLength)
        return OpenedRequest(delivery: delivery, operation: request.operation, context: request.context)
    }
}

extension AccountStore {
    /// Returns the id of the account with the given address. The account cannot be removed before the transaction ends.
    ///
    /// - Throws: `NOT_FOUND` if the account does not exist, or `PostgresError`.
    static func existingAccount(_ email: EmailAddress, on connection: PostgresConnection) async throws -> Int64 {
        guard let account = try await accountID(of: email, on: connection) else {
            throw ServerError.accountNotFound()
        }
        return account
    }
}

extension RequestLedger {
    /// Executes a write that can end sessions, unless an earlier copy of the request has been executed. Then starts to
    /// remove the clients that belong to the ended sessions (``Departures``).
    func once(
        _ request: OpenedRequest, endingSignInsOf accounts: AccountStore,
        _ execute: (PostgresConnection) async throws -> Answer
    ) async throws -> Answer {
        let answer = try await once(request, environment: 0, execute)
        accounts.onDeparture()
        return answer
    }
}

extension ServerError {
    /// Returns the error for an email address that belongs to no account.
    static func accountNotFound() -> ServerError {
        ServerError(.accountNotFound, "No account has this email address", field: "email")
    }
}
