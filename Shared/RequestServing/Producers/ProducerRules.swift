package import CloudKitModel
internal import CloudKitWire
package import ServiceMessages

/// The rules in the producers file. They determine which requests each broker user may send. A user that the file does
/// not name may not send any requests.
///
///     {"producers": [
///         {"user": "loader", "containers": ["iCloud.org.example.demo"], "environments": ["development"],
///          "databases": ["private"], "users": ["_0123…"], "operations": ["records.modify", "records.lookup"]},
///         {"user": "zonda-gateway", "containers": "*", "environments": "*", "databases": "*", "users": "*",
///          "operations": "*", "identity": true},
///         {"user": "operator", "admin": true}]}
///
/// An absent list allows nothing. A user may have several entries; a request is allowed if one entry allows all parts
/// of the request.
package struct ProducerRules: Sendable, Hashable {
    private var rules: [String: [ProducerRule]] = [:]

    /// Parses the text of the file.
    ///
    /// - Throws: a ``ProducersFault`` that names the entry and key. Unknown keys are errors, because a misspelled key
    ///   would withhold or grant rights unintentionally.
    package init(parsing text: [UInt8]) throws(ProducersFault) {
        let json: JSONValue
        do throws(ServerError) {
            json = try JSONValue(parsing: text)
        } catch {
            throw ProducersFault("it is not JSON: \(error.reason)")
        }
        guard let members = json.members, members.map(\.key) == ["producers"],
            let entries = members[0].value.array
        else { throw ProducersFault("it must have exactly one key, 'producers', whose value is a list") }
        for (index, entry) in entries.enumerated() {
            let reader = try EntryReader(entry, place: "producers[\(index)]")
            rules[try reader.user(), default: []].append(try reader.rule())
        }
    }

    /// The number of users that the file names.
    package var userCount: Int { rules.count }

    /// Admits a request, or refuses it.
    ///
    /// - Parameter user: the broker user that sent the request, as verified by the broker.
    /// - Throws: `producer_not_allowed`. The error names the part that is refused by the rule that comes closest to
    ///   allowing the request.
    package func admit(
        _ operation: ServiceMessages.Operation, _ context: RequestContext, from user: String?
    ) throws(ServerError) {
        guard let user, !user.isEmpty else {
            throw ServerError(
                .producerNotAllowed,
                "The message has no user-id; set user-id to the broker user that sends the message", field: "user-id")
        }
        guard let rules = rules[user] else {
            throw ServerError(
                .producerNotAllowed, "The producers file does not list the broker user '\(user)'", field: "user-id")
        }
        var nearest = ProducerRule.Part.operation
        for rule in rules {
            guard let obstacle = rule.obstacle(to: operation, context) else { return }
            nearest = max(nearest, obstacle)
        }
        let (what, field) =
            switch nearest {
            case .operation: ("send '\(operation.rawValue)'", "routing-key")
            case .container: ("work in the container '\(context.container)'", Header.container)
            case .environment: ("work in the environment '\(context.environment.rawValue)'", Header.environment)
            case .database: ("work in the \(context.scope.wireName) database", Header.database)
            case .user: ("act for the user '\(context.user)'", Header.user)
            case .identity: ("state the email address of a user; only the gateway may", Header.identity)
            }
        throw ServerError(.producerNotAllowed, "The broker user '\(user)' may not \(what)", field: field)
    }
}

/// The reason why a producers file cannot be used.
package struct ProducersFault: Error, Hashable, CustomStringConvertible {
    /// The description of the error for the operator.
    package let description: String

    /// Creates a fault.
    package init(_ description: String) { self.description = description }
}

/// A parser of one entry of the file.
private struct EntryReader {
    private static let keys: Set = [
        "user", "containers", "environments", "databases", "users", "operations", "identity", "admin",
    ]

    private let entry: JSONValue
    private let place: String

    init(_ entry: JSONValue, place: String) throws(ProducersFault) {
        guard let members = entry.members else { throw ProducersFault("\(place) must be an object") }
        if let unknown = members.first(where: { !Self.keys.contains($0.key) }) {
            throw ProducersFault("\(place) has the unknown key '\(unknown.key)'")
        }
        (self.entry, self.place) = (entry, place)
    }

    func user() throws(ProducersFault) -> String {
        guard let user = entry["user"]?.string, !user.isEmpty else {
            throw ProducersFault("\(place).user must be the name of a broker user")
        }
        return user
    }

    func rule() throws(ProducersFault) -> ProducerRule {
        ProducerRule(
            containers: try choice("containers", "an identifier of visible ASCII characters") { name in
                let isSound = (1...255).contains(name.utf8.count) && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
                return isSound ? name : nil
            },
            environments: try choice("environments", "'development' or 'production'") {
                EnvironmentName(rawValue: $0)
            },
            databases: try choice("databases", "'public', 'private' or 'shared'") { DatabaseScope(wireName: $0) },
            users: try choice("users", "a user record name, or '_world'") { try? UserName(validating: $0).rawValue },
            operations: try choice("operations", "an operation of zonda.requests or zonda.admin") { name in
                ServiceMessages.Operation(rawValue: name).flatMap {
                    [Exchange.requests, Exchange.admin].contains($0.exchange) ? $0 : nil
                }
            },
            provesIdentity: try flag("identity"), isAdministrator: try flag("admin"))
    }

    private func flag(_ key: String) throws(ProducersFault) -> Bool {
        guard let value = entry[key] else { return false }
        guard let flag = value.bool else { throw ProducersFault("\(place).\(key) must be true or false") }
        return flag
    }

    private func choice<Element: Hashable>(
        _ key: String, _ what: String, _ read: (String) -> Element?
    ) throws(ProducersFault) -> ProducerRule.Choice<Element> {
        guard let value = entry[key] else { return .some([]) }
        if value.string == "*" { return .all }
        guard let elements = value.array else {
            throw ProducersFault("\(place).\(key) must be a list, or \"*\" for all")
        }
        var chosen: Set<Element> = []
        for element in elements {
            guard let text = element.string, let one = read(text) else {
                throw ProducersFault("each element of \(place).\(key) must be \(what)")
            }
            chosen.insert(one)
        }
        return .some(chosen)
    }
}
