/// An object that an engine tells of its work, and asks for changes to send.
///
/// The functions are called one at a time. They must not await ``CKSyncEngine/fetchChanges(_:)`` or
/// ``CKSyncEngine/sendChanges(_:)``, which end only when the delegate has returned.
public protocol CKSyncEngineDelegate: AnyObject, Sendable {
    /// Handles an event.
    @concurrent func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async

    /// Returns the next changes to send; nil if there are no more.
    ///
    /// Return only changes in the scope of `context`. The function is called again when the changes have been sent.
    @concurrent func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch?

    /// Returns what is fetched next. It is called before each request.
    @concurrent func nextFetchChangesOptions(
        _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.FetchChangesOptions
}

extension CKSyncEngineDelegate {
    /// Returns the options of the attempt.
    @concurrent public func nextFetchChangesOptions(
        _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.FetchChangesOptions {
        context.options
    }
}
