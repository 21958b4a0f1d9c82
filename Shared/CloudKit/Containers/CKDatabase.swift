internal import CloudKitModel
public import Foundation

/// A database of a container.
open class CKDatabase: NSObject, @unchecked Sendable {
    /// The databases of a container.
    public enum Scope: Int, Sendable {
        /// One database for all users.
        case `public` = 1
        /// One database for each user.
        case `private` = 2
        /// What other users have shared with the user.
        case shared = 3
    }

    /// Which database of its container this is.
    open var databaseScope: CKDatabase.Scope { scope }

    private let scope: Scope
    let container: CKContainer
    /// What the functions of the database apply to their operations.
    let defaults: OperationDefaults

    init(_ scope: Scope, in container: CKContainer, _ defaults: OperationDefaults) {
        (self.scope, self.container, self.defaults) = (scope, container, defaults)
    }

    @available(*, unavailable)
    public override init() { fatalError("init() is unavailable: use a property of CKContainer.") }

    /// The name of the database in requests.
    var wireScope: DatabaseScope {
        switch scope {
        case .public: .public
        case .private: .private
        case .shared: .shared
        }
    }

    /// Compares the scopes and the containers.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKDatabase else { return false }
        return other === self || other.scope == scope && other.container == container
    }

    /// The hash of the scope.
    open override var hash: Int { scope.hashValue }

    open override var description: String {
        "<CKDatabase: \(wireScope.wireName) of \(container.containerIdentifier ?? "no container")>"
    }
}
