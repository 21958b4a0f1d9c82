internal import CloudKitModel

/// An operation on a database.
open class CKDatabaseOperation: CKOperation, @unchecked Sendable {
    private let chosen = Locked<CKDatabase?>(nil)

    /// The database; nil for the private database of the operation's container. Setting it also sets the container.
    open var database: CKDatabase? {
        get { chosen.copy }
        set {
            chosen.withLock { $0 = newValue }
            if let newValue { configuration.container = newValue.container }
        }
    }

    /// Returns where the requests go.
    func webDatabase() throws(CKError) -> WebDatabase {
        let database = database ?? operationContainer.privateCloudDatabase
        return try webDatabase(database.wireScope, of: database.container)
    }
}
