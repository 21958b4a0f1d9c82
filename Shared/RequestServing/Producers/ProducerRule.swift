package import CloudKitModel
package import ServiceMessages

/// A rule for the requests of a broker user. It allows a request if all of its lists allow the request.
///
/// In the file, `*` denotes all elements. It is not a wildcard within a name, because a pattern that matches more than
/// it appears to would grant rights by mistake.
package struct ProducerRule: Sendable, Hashable {
    /// A selection of some or all elements.
    package enum Choice<Element: Hashable & Sendable>: Sendable, Hashable {
        case all
        case some(Set<Element>)

        /// Returns whether `element` is selected.
        func has(_ element: Element) -> Bool {
            switch self {
            case .all: true
            case .some(let elements): elements.contains(element)
            }
        }
    }

    /// The parts of a rule, each of which can refuse a request, in the order in which they are checked.
    enum Part: Int, Comparable {
        case operation, container, environment, database, user, identity

        static func < (one: Part, other: Part) -> Bool { one.rawValue < other.rawValue }
    }

    /// The identifiers of containers. They are ASCII and are compared byte by byte.
    package var containers: Choice<String>
    /// The environments of these containers.
    package var environments: Choice<EnvironmentName>
    /// The databases in these environments.
    package var databases: Choice<DatabaseScope>
    /// The users on whose behalf the producer may act; `_world` denotes requests without a signed-in user.
    package var users: Choice<String>
    /// The allowed operations: all operations on `zonda.requests`, or only those named, which can include operator-only
    /// operations.
    package var operations: Choice<ServiceMessages.Operation>
    /// Whether the producer may state the user's verified email address (``Header/identity``), as the gateway does.
    package var provesIdentity = false
    /// Whether all operations on `zonda.admin` are allowed.
    package var isAdministrator: Bool

    /// Returns the first part that does not allow a request; nil if all parts allow it.
    func obstacle(to operation: ServiceMessages.Operation, _ context: RequestContext) -> Part? {
        guard operation.exchange != Exchange.admin else {
            // Operators' requests are not scoped to a database, so the other parts do not apply.
            return isAdministrator || isNamed(operation) ? nil : .operation
        }
        guard operations.has(operation) else { return .operation }
        guard containers.has(context.container) else { return .container }
        guard environments.has(context.environment) else { return .environment }
        guard databases.has(context.scope) else { return .database }
        guard users.has(context.user) else { return .user }
        return context.email == nil || provesIdentity ? nil : .identity
    }

    /// Returns whether the rule names an operation explicitly. `*` does not include operator-only operations.
    private func isNamed(_ operation: ServiceMessages.Operation) -> Bool {
        if case .some(let named) = operations { named.contains(operation) } else { false }
    }
}
