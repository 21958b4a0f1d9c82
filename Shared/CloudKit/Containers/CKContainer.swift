public import Foundation

/// A container of an application's data. It contains the databases of each of its users.
open class CKContainer: NSObject, @unchecked Sendable {
    /// The identifier that the application gave; nil for the default container.
    private let givenIdentifier: String?
    let connections: Connections
    /// What the functions of the container's databases apply to their operations.
    let defaults: OperationDefaults

    /// Returns the container that the environment, the client file or `CKContainer.connection` names.
    ///
    /// Without a configuration, each of its functions fails with ``CKError/Code/notAuthenticated``, and says what to set.
    public class func `default`() -> CKContainer { sharedDefault }

    private static let sharedDefault = CKContainer(nil, .shared, OperationDefaults())

    /// Returns the container with an identifier.
    public convenience init(identifier containerIdentifier: String) {
        self.init(containerIdentifier, .shared, OperationDefaults())
    }

    init(_ identifier: String?, _ connections: Connections, _ defaults: OperationDefaults) {
        givenIdentifier = identifier
        self.connections = connections
        self.defaults = defaults
    }

    @available(*, unavailable)
    public override init() { fatalError("init() is unavailable: use default() or init(identifier:).") }

    /// The container's identifier; nil for the default container if nothing names one.
    open var containerIdentifier: String? { givenIdentifier ?? connections.defaultContainer }

    /// The database that only the user can access.
    open var privateCloudDatabase: CKDatabase { database(with: .private) }
    /// The database that all users share.
    open var publicCloudDatabase: CKDatabase { database(with: .public) }
    /// The database with what other users have shared with the user.
    open var sharedCloudDatabase: CKDatabase { database(with: .shared) }

    /// Returns a database.
    open func database(with databaseScope: CKDatabase.Scope) -> CKDatabase {
        CKDatabase(databaseScope, in: self, defaults)
    }

    /// Returns the same container, whose functions apply something else to their operations.
    func configured(_ defaults: OperationDefaults) -> CKContainer {
        CKContainer(givenIdentifier, connections, defaults)
    }

    /// Returns the connection to the gateway.
    ///
    /// - Throws: ``CKError/Code/notAuthenticated`` with an explanation of what to set.
    func webConnection() throws(CKError) -> WebConnection { try connections.connection(to: givenIdentifier) }

    /// Compares the identifiers.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKContainer else { return false }
        return other === self || other.containerIdentifier == containerIdentifier && other.connections === connections
    }

    /// The hash of the identifier.
    open override var hash: Int { containerIdentifier.hashValue }

    open override var description: String { "<CKContainer: \(containerIdentifier ?? "no identifier")>" }
}

extension CKContainer {
    /// The gateway that all containers of the process use; nil to use the environment and the client file. Apple's
    /// framework does not have this property.
    public static var connection: ZondaConnection? {
        get { Connections.shared.source }
        set { Connections.shared.source = newValue }
    }
}
