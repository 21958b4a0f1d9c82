internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import GatewayStorage
internal import HTTPTypes
internal import RequestServing
internal import ServiceMessages

/// Asks the record service what a link leads to, for a user who has signed in. In messages, a link occurs only in the
/// body.
struct LinkQuestions: Sendable {
    /// What a link leads to, as far as the user is allowed to know.
    enum Answer: Hashable, Sendable {
        /// A share.
        case share(Share)
        /// The link is unknown, its share has ended, or the user may not see it.
        case unknown
        /// The share has pending invitations, but only to other email addresses.
        case notVerified
        /// The user may request access to the share. If `isInvited` is true, the share has pending invitations to other
        /// email addresses, so the user might have signed in with the wrong account.
        case mayRequest(isInvited: Bool)
        /// The user has requested access, and the request has not been answered.
        case requested
        /// Too many users have joined through the link.
        case full
        /// Too many users have requested access.
        case tooManyRequesters
    }

    /// A share as a page shows it.
    struct Share: Hashable, Sendable {
        /// The title; nil if the owner chose none.
        var title: String?
        /// Whether the user has access.
        var isAccepted: Bool
        /// Whether the user may change the records, or will be allowed to after joining.
        var isWritable: Bool
        /// The container.
        var container: String
    }

    private struct Place {
        var container: String
        var environment: EnvironmentName
    }

    private static let locateTime = Duration.seconds(10)
    /// The maximum length of a link. All links of this release are shorter.
    private static let maxLinkBytes = 64

    let forwarder: RequestForwarder
    let accounts: any LinkAccounts

    /// Asks what `link` leads to (`records.resolve`), accepts it (`records.accept`), or requests access to the share
    /// (`shares.requestAccess`) and asks what the link then leads to.
    ///
    /// - Throws: `PostgresError`, or ``ServerError`` if the service cannot answer.
    func ask(
        _ operation: ServiceMessages.Operation, _ link: String, for account: Account, _ request: GatewayRequest
    ) async throws -> Answer {
        guard Self.isSound(link), let place = try await place(of: link, request) else { return .unknown }
        let caller = Caller(
            kind: .user(account: account.id),
            userName: try await accounts.userName(of: account.id, in: place.container), email: account.email)
        var result = try await self.result(of: operation, link, at: place, for: caller, request)
        if operation == .sharesRequestAccess, Self.isSettled(result) {
            // The request is pending, or the user does not need it, because the user has access or may have it.
            result = try await self.result(of: .recordsResolve, link, at: place, for: caller, request)
        }
        return Self.answer(result, in: place.container)
    }

    /// Returns the result of an operation for a link.
    ///
    /// - Throws: a `service_away` error if the service cannot answer at the moment.
    private func result(
        of operation: ServiceMessages.Operation, _ link: String, at place: Place, for caller: Caller,
        _ request: GatewayRequest
    ) async throws -> JSONValue {
        let path = EndpointPath(
            container: place.container, environment: place.environment, database: .public,
            endpoint: Self.endpoint(of: operation))
        let body = JSONValue.object([
            JSONValue.Member("shortGUIDs", .array([.object([JSONValue.Member("value", .string(link))])]))
        ])
        // Reloading the page sends the form again, with a new key. Accepting a link twice has no further effect.
        let question = GatewayRequest(
            method: .post, target: "", path: "", query: QueryParameters(""),
            headers: [.idempotencyKey: UUID().uuidString.lowercased()], body: body.encoded(),
            address: request.address, requestID: request.requestID, trace: request.trace)
        let answer = try await forwarder.answer(to: question, operation, at: path, for: caller)
        let json = try JSONValue(parsing: answer.body)
        let result = json["results"]?[0] ?? json
        let isFailure = [429, 500, 503].contains(answer.status) || result["retryAfter"] != nil
        guard result["reasonCode"] == nil || !isFailure else {
            throw ServerError(.serviceAway, "The link cannot be opened at the moment")
        }
        return result
    }

    private static func endpoint(of operation: ServiceMessages.Operation) -> Endpoint {
        switch operation {
        case .recordsAccept: .recordsAccept
        case .sharesRequestAccess: .sharesRequestAccess
        default: .recordsResolve
        }
    }

    /// Whether a request for access was not refused, or was refused because an invitation is waiting for the user.
    private static func isSettled(_ result: JSONValue) -> Bool {
        [nil, ReasonCode.participantAlreadyInvited.rawValue].contains(result["reasonCode"]?.string)
    }

    /// Reads the result of `records.resolve` or `records.accept`, or the refusal of a request for access.
    private static func answer(_ result: JSONValue, in container: String) -> Answer {
        switch result["reasonCode"]?.string {
        case nil: break
        case ReasonCode.accessRequestRequired.rawValue: return .mayRequest(isInvited: false)
        case ReasonCode.participantMayRequest.rawValue: return .mayRequest(isInvited: true)
        case ReasonCode.accessRequestPending.rawValue: return .requested
        case ReasonCode.tooManyRequesters.rawValue: return .tooManyRequesters
        case ReasonCode.participantNotVerified.rawValue: return .notVerified
        case ReasonCode.tooManyParticipants.rawValue: return .full
        default: return .unknown
        }
        guard let share = result["share"] else { return .unknown }
        return .share(
            Share(
                title: share["fields"]?["cloudkit.title"]?["value"]?.string,
                isAccepted: result["participantStatus"]?.string == AcceptanceStatus.accepted.wireName,
                isWritable: result["participantPermission"]?.string == SharePermission.readWrite.wireName,
                container: container))
    }

    /// Returns whether `link` could be a link. Links consist of letters and digits, so the service can parse every
    /// question.
    private static func isSound(_ link: String) -> Bool {
        link.utf8.count <= maxLinkBytes && link.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }

    /// Returns the container and environment of a link; nil if the link is unknown.
    private func place(of link: String, _ request: GatewayRequest) async throws(ServerError) -> Place? {
        let body = JSONValue.object([JSONValue.Member("shortGUID", .string(link))])
        let deadline = SystemClock.milliseconds() + Self.locateTime.components.seconds * 1000
        var headers: AMQPTable = [
            Header.version: 1, Header.deadline: .int64(deadline), Header.requestID: .string(request.requestID),
        ]
        headers.set(request.trace)
        let message = AMQPMessage(
            exchange: Exchange.internal, routingKey: ServiceMessages.Operation.sharesLocate.rawValue,
            properties: AMQPProperties(
                messageID: UUID().uuidString.lowercased(), contentType: "application/json", userID: forwarder.userID,
                headers: headers), body: body.encoded())
        let reply: AMQPDelivery
        do throws(AMQPError) {
            reply = try await forwarder.call(message, Self.locateTime)
        } catch {
            throw error.isEnding
                ? .gatewayEnding() : ServerError(.serviceAway, "The record service cannot be reached")
        }
        guard reply.properties.headers.int64(Header.status) == 200 else {
            throw ServerError(.serviceAway, "The link cannot be opened at the moment")
        }
        let json = try JSONValue(parsing: reply.body)
        guard let container = json["container"]?.string,
            let environment = json["environment"]?.string.flatMap(EnvironmentName.init(rawValue:))
        else { return nil }
        return Place(container: container, environment: environment)
    }
}
