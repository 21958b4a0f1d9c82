package import CloudKitModel
package import ServiceMessages

/// What a user of the broker may ask: everything that each of its lists allows.
///
/// `*` stands for all, and nowhere for a part: a pattern that says more than it seems to is how rights leak.
package struct ProducerRule: Sendable, Hashable {
    /// Some of them, or all.
    package enum Choice<Element: Hashable & Sendable>: Sendable, Hashable {
        case all
        case some(Set<Element>)

        /// Whether `element` is among them.
        func has(_ element: Element) -> Bool {
            switch self {
            case .all: true
            case .some(let elements): elements.contains(element)
            }
        }
    }

    /// What a rule can fail to allow, in the order in which it is looked at.
    enum Part: Int, Comparable {
        case operation, container, environment, database, user

        static func < (one: Part, other: Part) -> Bool { one.rawValue < other.rawValue }
    }

    /// Containers' identifiers, compared by their bytes, which are ASCII.
    package var containers: Choice<String>
    /// Environments of these containers.
    package var environments: Choice<String>
    /// Databases in these environments.
    package var databases: Choice<DatabaseScope>
    /// Whom the producer may act for; `_world` is nobody in particular.
    package var users: Choice<String>
    /// What may be asked on `zonda.requests`: all of it, or these, of which some may be operators'.
    package var operations: Choice<ServiceMessages.Operation>
    /// Whether everything may be asked on `zonda.admin`.
    package var isAdministrator: Bool

    /// The first part that does not allow a request; nil when all do.
    func obstacle(to operation: ServiceMessages.Operation, _ context: RequestContext) -> Part? {
        guard operation.exchange != Exchange.admin else {
            // Operators' requests work in no database; whoever may ask them may ask them of any.
            return isAdministrator || isNamed(operation) ? nil : .operation
        }
        guard operations.has(operation) else { return .operation }
        guard containers.has(context.container) else { return .container }
        guard environments.has(context.environment) else { return .environment }
        guard databases.has(context.scope) else { return .database }
        return users.has(context.user) ? nil : .user
    }

    /// An operator's request is not meant by "all".
    private func isNamed(_ operation: ServiceMessages.Operation) -> Bool {
        if case .some(let named) = operations { named.contains(operation) } else { false }
    }
}
