/// A notification of changes in a database.
open class CKDatabaseNotification: CKNotification {
    /// The database.
    open var databaseScope: CKDatabase.Scope { payload.databaseScope }
}
