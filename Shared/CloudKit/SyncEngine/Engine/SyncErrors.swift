extension CKError {
    /// Whether the engine handles the error itself: the change stays pending, and is sent again.
    var isHandledBySyncEngine: Bool {
        switch code {
        case .networkUnavailable, .networkFailure, .serviceUnavailable, .requestRateLimited, .zoneBusy,
            .notAuthenticated, .accountTemporarilyUnavailable, .serverResponseLost, .operationCancelled,
            .batchRequestFailed:
            true
        default: false
        }
    }

    /// Whether what was to be deleted does not exist, so that nothing remains to be done.
    var saysThatZoneIsGone: Bool { code == .zoneNotFound || code == .userDeletedZone }

    /// Any error as an error of CloudKit.
    init(wrapping error: any Error) {
        switch error {
        case let error as CKError: self = error
        case is CancellationError: self.init(.operationCancelled)
        default: self.init(.internalError, "\(error)", underlying: error)
        }
    }

    /// The error of an attempt in which some changes failed; nil if none did.
    static func partialFailure(_ errors: [AnyHashable: CKError]) -> CKError? {
        guard !errors.isEmpty else { return nil }
        return CKError(
            .partialFailure, "Some changes could not be sent. Their errors are in partialErrorsByItemID.",
            details: [CKPartialErrorsByItemIDKey: errors as [AnyHashable: any Error]])
    }
}
