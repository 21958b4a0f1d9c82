internal import Foundation

/// The errors of single items of an operation.
struct PartialErrors: @unchecked Sendable {
    // The keys are IDs, which are immutable.
    private var errors: [AnyHashable: any Error] = [:]

    /// Adds the error of an item.
    mutating func add(_ error: any Error, of item: AnyHashable) { errors[item] = error }

    /// Returns the error of the whole operation for the functions of the first generation; nil if all items succeeded.
    ///
    /// - Parameter failure: what happened, such as "Failed to modify some records".
    func failure(_ failure: String) -> CKError? {
        guard !errors.isEmpty else { return nil }
        return CKError(
            .partialFailure, "\(failure). The errors of the items are in partialErrorsByItemID.",
            details: [CKPartialErrorsByItemIDKey: errors])
    }
}
