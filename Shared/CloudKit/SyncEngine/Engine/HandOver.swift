/// An event for the delegate, and the changes of the state that belong to it. All of it happens in one turn, so that no
/// serialization is taken in between.
struct HandOver {
    /// The changes that are made before the delegate hears of the event, so that it can add pending changes again.
    var before: [SyncTransition] = []
    /// The event; nil if only the state changes.
    var event: CKSyncEngine.Event?
    /// The changes that are made when the delegate has handled the event.
    var after: [SyncTransition] = []
}
