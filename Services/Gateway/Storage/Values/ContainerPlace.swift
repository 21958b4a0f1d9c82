package import CloudKitModel

/// A container's environment.
package struct ContainerPlace: Sendable, Hashable {
    /// The container's identifier.
    package var container: String
    /// The environment: `development` or `production`.
    package var environment: EnvironmentName

    /// Creates an environment of a container.
    package init(container: String, environment: EnvironmentName) {
        self.container = container
        self.environment = environment
    }
}

/// A position in a list of API tokens or server-to-server keys, after which the next page begins. Lists are ordered by
/// container, environment and id.
package struct ListPosition: Sendable, Hashable {
    /// The container, the environment and the id, separated by spaces.
    package let text: String

    let parts: [String]

    /// The beginning of a list.
    package static let start = ListPosition(["", "", ""])

    /// Parses ``text``; returns nil if it does not have three parts.
    package init?(_ text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3 else { return nil }
        self.text = text
        self.parts = parts
    }

    private init(_ parts: [String]) {
        self.parts = parts
        text = parts.joined(separator: " ")
    }

    /// Creates the position of the item with the given id.
    init(_ place: ContainerPlace, id: String) {
        self.init([place.container, place.environment.rawValue, id])
    }
}
