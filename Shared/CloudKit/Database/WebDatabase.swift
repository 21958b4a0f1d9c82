internal import CloudKitModel
internal import CloudKitWire
internal import Foundation

/// A database behind the web interface: one function for each of its endpoints. The requests go through a function, so
/// that tests answer them without a server.
struct WebDatabase: Sendable {
    /// Sends a request and returns the body of the answer.
    typealias Send = @Sendable (WebRequest) async throws(CKError) -> [UInt8]

    /// Which database of the container this is.
    let scope: DatabaseScope
    /// The transfer of the files of assets.
    let assets: AssetTransfers
    /// The address that the links of shares begin with; nil if there is none.
    let shareLinks: URL?
    private let sender: Send

    /// Creates a database.
    init(
        _ scope: DatabaseScope, assets: AssetTransfers = .none, shareLinks: URL? = nil, send: @escaping Send
    ) {
        self.scope = scope
        self.assets = assets
        self.shareLinks = shareLinks
        sender = send
    }

    /// Creates a database behind a connection.
    init(
        _ scope: DatabaseScope, on connection: WebConnection, patience: RetryPolicy.Patience = .brief,
        timeout: Duration = .seconds(60)
    ) {
        let links = URL(string: connection.place.url)?.appendingPathComponent("share")
        self.init(scope, assets: AssetTransfers(scope, on: connection), shareLinks: links) {
            request async throws(CKError) in
            try await connection.send(request, patience: patience, timeout: timeout)
        }
    }

    /// The same container's public database, to which requests belong that concern no database.
    var publicDatabase: WebDatabase { other(.public) }

    /// Returns another database of the same container, with the same transfers of assets.
    func other(_ scope: DatabaseScope) -> WebDatabase {
        WebDatabase(scope, assets: assets, shareLinks: shareLinks, send: sender)
    }

    /// Sends a request and returns the answer.
    func answer(_ action: String, _ body: JSONValue) async throws(CKError) -> JSONValue {
        try await answer(WebRequest(action, in: scope, body: body.encoded()))
    }

    /// Sends a request and returns the answer.
    func answer(_ request: WebRequest) async throws(CKError) -> JSONValue {
        let body = try await sender(request)
        do {
            return try JSONValue(parsing: body)
        } catch {
            throw .unexpectedAnswer("the answer to \(request.action) is not JSON")
        }
    }

    /// Sends a request and returns the items of its answer.
    ///
    /// - Parameters:
    ///   - key: the key of the items in the answer.
    ///   - count: how many items the answer must have; nil for any number.
    func items(
        _ action: String, _ body: JSONValue, _ key: String, count: Int? = nil
    ) async throws(CKError) -> [JSONValue] {
        let answer = try await answer(action, body)
        guard let items = answer[key]?.array else { throw .unexpectedAnswer("the answer to \(action) has no '\(key)'") }
        guard count == nil || items.count == count else {
            throw .unexpectedAnswer("the answer to \(action) has \(items.count) items, not \(count ?? 0)")
        }
        return items
    }
}

extension WebDatabase {
    /// Returns the dictionary of a zone that a request names.
    func json(of zoneID: CKRecordZone.ID) -> JSONValue {
        guard zoneID.ownerName != CKCurrentUserDefaultName else { return ["zoneName": .string(zoneID.zoneName)] }
        return ["zoneName": .string(zoneID.zoneName), "ownerRecordName": .string(zoneID.ownerName)]
    }

    /// Returns the zone of a dictionary in an answer. Outside the shared database, the owner is the user.
    func zoneID(_ json: JSONValue?) -> CKRecordZone.ID? {
        guard let name = json?["zoneName"]?.string else { return nil }
        guard scope == .shared, let owner = json?["ownerRecordName"]?.string else {
            return CKRecordZone.ID(zoneName: name)
        }
        return CKRecordZone.ID(zoneName: name, ownerName: owner)
    }
}

/// The result of one item of a request.
typealias ItemResult<Value> = Result<Value, CKError>

extension JSONValue {
    /// The error that an item of an answer contains; nil if the item is not an error.
    var fault: ServerFault? { ServerFault(self) }
}
