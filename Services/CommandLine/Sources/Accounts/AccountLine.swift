import CloudKitModel
import CloudKitWire
import CommandLineSession

extension RequestScope {
    /// `container` and `environment`: members of the gateway's operations.
    var place: [(String, JSONValue?)] {
        [("container", .string(container)), ("environment", .string(environment.rawValue))]
    }
}

extension GlobalOptions {
    /// The members that restrict a list to one container's environment; none with `all`.
    ///
    /// - Throws: as ``scope()``.
    func filter(all: Bool) throws -> [(String, JSONValue?)] { all ? [] : try scope().place }
}

/// Accounts, API tokens and keys as lines of text.
enum AccountLine {
    /// `ada@example.org  Ada Doe  2026-01-15T18:00:00Z  iCloud.org.example.notes _0…1`.
    static func user(_ user: JSONValue) -> String {
        let names = ["givenName", "familyName"].compactMap { user[$0]?.string }.joined(separator: " ")
        let marks = [
            user["hasPassword"]?.bool == false ? "no password" : nil,
            user["discoverable"]?.bool == true ? "discoverable" : nil,
        ]
        let known: [JSONValue] = user["containers"]?.array ?? (user["container"] == nil ? [] : [user])
        let containers = known.map { "\($0["container"]?.string ?? "") \($0["userRecordName"]?.string ?? "")" }
        return join([user["email"]?.string, names, time(user["created"])] + marks + containers)
    }

    /// `2026-01-15T18:00:00Z  last used 2026-01-16T09:00:00Z  iCloud.org.example.notes  production  Notes  192.0.2.7`.
    static func signIn(_ signIn: JSONValue) -> String {
        join([
            time(signIn["created"]), time(signIn["lastUsed"]).map { "last used \($0)" }, signIn["container"]?.string,
            signIn["environment"]?.string, signIn["application"]?.string, signIn["address"]?.string,
            time(signIn["endsAt"]).map { "until \($0)" },
        ])
    }

    /// `0…f  iCloud.org.example.notes  development  web  https://example.org`.
    static func token(_ token: JSONValue) -> String {
        let origins = token["origins"]?.array?.compactMap(\.string).joined(separator: ", ")
        return join([
            token["token"]?.string, token["container"]?.string, token["environment"]?.string, token["name"]?.string,
            origins, token["callbackURL"]?.string, revoked(token),
        ])
    }

    /// `0…f  iCloud.org.example.notes  production  importer  _0…1`.
    static func key(_ key: JSONValue) -> String {
        join([
            key["keyID"]?.string, key["container"]?.string, key["environment"]?.string, key["name"]?.string,
            key["userRecordName"]?.string, revoked(key),
        ])
    }

    /// The result of revoking a token or key whose ID is the member `id`.
    static func revocation(_ answer: JSONValue, id: String) -> String {
        "\(answer[id]?.string ?? "")  \(answer["revoked"]?.bool == true ? "revoked" : "was not active")"
    }

    private static func revoked(_ item: JSONValue) -> String? { time(item["revokedAt"]).map { "revoked \($0)" } }

    private static func time(_ value: JSONValue?) -> String? { value?.int.map(Moment.text) }

    private static func join(_ parts: [String?]) -> String {
        parts.compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: "  ")
    }
}
