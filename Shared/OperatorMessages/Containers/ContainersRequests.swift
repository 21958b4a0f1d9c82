internal import CloudKitModel
package import ServiceMessages

/// `containers.create`: creates a container unless it already exists.
package struct ContainersCreateRequest: OperatorRequest {
    package typealias Answer = ContainerDescription
    package static let operation = ServiceMessages.Operation.containersCreate
    package static let wrongKinds = WrongKinds.ignored

    /// The container's identifier: 1 to 255 visible ASCII characters.
    package var container: String

    /// Creates a request.
    package init(container: String) { self.container = container }
}

/// `containers.list`: lists all containers.
package struct ContainersListRequest: OperatorRequest {
    package static let operation = ServiceMessages.Operation.containersList

    /// Creates a request.
    package init() {}

    /// The containers.
    package struct Answer: Codable, Sendable {
        /// The containers, ordered by identifier.
        package var containers: [ContainerDescription]

        /// Creates an answer.
        package init(containers: [ContainerDescription]) { self.containers = containers }
    }
}

/// A container and its environments.
package struct ContainerDescription: Codable, Sendable {
    /// The identifier.
    package var container: String
    /// `development` and `production`.
    package var environments: [String]
    /// Whether the container was created by the request; only in answers to `containers.create`.
    package var created: Bool?

    /// Creates a description of a container. Every container has both environments.
    package init(container: String, created: Bool? = nil) {
        self.container = container
        environments = EnvironmentName.allCases.map(\.rawValue)
        self.created = created
    }
}

/// `containers.delete`: deletes a container and all its data.
package struct ContainersDeleteRequest: OperatorRequest {
    package static let operation = ServiceMessages.Operation.containersDelete
    package static let wrongKinds = WrongKinds.ignored

    /// The container's identifier.
    package var container: String

    /// Creates a request.
    package init(container: String) { self.container = container }

    /// The deleted container. If the container did not exist, the request fails instead.
    package struct Answer: Codable, Sendable {
        /// The container's identifier.
        package var container: String
        /// Always true.
        package var deleted = true

        /// Creates an answer.
        package init(container: String) { self.container = container }
    }
}
