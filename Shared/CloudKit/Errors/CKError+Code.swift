extension CKError {
    /// The codes of CloudKit's errors.
    public enum Code: Int, _ErrorCodeProtocol, Sendable {
        /// The error that has a code of this type.
        public typealias _ErrorType = CKError

        /// CloudKit itself failed.
        case internalError = 1
        /// Some items failed; ``CKError/partialErrorsByItemID`` contains their errors.
        case partialFailure = 2
        /// There is no network.
        case networkUnavailable = 3
        /// The network is available, but the request failed.
        case networkFailure = 4
        /// The container is unknown, or the application is not allowed to use it.
        case badContainer = 5
        /// The service is temporarily unavailable.
        case serviceUnavailable = 6
        /// The client sends too many requests.
        case requestRateLimited = 7
        /// The application lacks an entitlement.
        case missingEntitlement = 8
        /// The user is not signed in.
        case notAuthenticated = 9
        /// The user does not have permission for the operation.
        case permissionFailure = 10
        /// The item does not exist.
        case unknownItem = 11
        /// The request is invalid.
        case invalidArguments = 12
        /// The server truncated the results. It is no longer sent.
        case resultsTruncated = 13
        /// The record on the server is newer than the one that the client knows.
        case serverRecordChanged = 14
        /// The server refused the request.
        case serverRejectedRequest = 15
        /// The file of an asset does not exist.
        case assetFileNotFound = 16
        /// The file of an asset changed while it was being saved.
        case assetFileModified = 17
        /// The version of the application is older than the oldest that is allowed.
        case incompatibleVersion = 18
        /// A unique field already has the value.
        case constraintViolation = 19
        /// The operation was cancelled.
        case operationCancelled = 20
        /// The change token is too old.
        case changeTokenExpired = 21
        /// The item was not processed, because another item of its atomic batch failed.
        case batchRequestFailed = 22
        /// The zone is processing too many requests.
        case zoneBusy = 23
        /// The operation is not available in the database.
        case badDatabase = 24
        /// The storage is full.
        case quotaExceeded = 25
        /// The zone does not exist.
        case zoneNotFound = 26
        /// The request exceeds a limit.
        case limitExceeded = 27
        /// The user deleted the zone.
        case userDeletedZone = 28
        /// The share has too many participants.
        case tooManyParticipants = 29
        /// The record is already part of a share.
        case alreadyShared = 30
        /// The target of a reference does not exist, or cannot be deleted.
        case referenceViolation = 31
        /// The policy of a managed account forbids the request.
        case managedAccountRestricted = 32
        /// The user is not known as a participant of the share.
        case participantMayNeedVerification = 33
        /// The connection ended after the request had been sent; its outcome is unknown.
        case serverResponseLost = 34
        /// The asset cannot be read now.
        case assetNotAvailable = 35
        /// The account exists, but cannot be used yet.
        case accountTemporarilyUnavailable = 36
        /// The participant is already invited to the share.
        case participantAlreadyInvited = 37
    }
}

/// The codes by name, so that `catch CKError.notAuthenticated` matches an error by its code.
extension CKError {
    /// CloudKit itself failed.
    public static var internalError: CKError.Code { .internalError }
    /// Some items failed; ``CKError/partialErrorsByItemID`` contains their errors.
    public static var partialFailure: CKError.Code { .partialFailure }
    /// There is no network.
    public static var networkUnavailable: CKError.Code { .networkUnavailable }
    /// The network is available, but the request failed.
    public static var networkFailure: CKError.Code { .networkFailure }
    /// The container is unknown, or the application is not allowed to use it.
    public static var badContainer: CKError.Code { .badContainer }
    /// The service is temporarily unavailable.
    public static var serviceUnavailable: CKError.Code { .serviceUnavailable }
    /// The client sends too many requests.
    public static var requestRateLimited: CKError.Code { .requestRateLimited }
    /// The application lacks an entitlement.
    public static var missingEntitlement: CKError.Code { .missingEntitlement }
    /// The user is not signed in.
    public static var notAuthenticated: CKError.Code { .notAuthenticated }
    /// The user does not have permission for the operation.
    public static var permissionFailure: CKError.Code { .permissionFailure }
    /// The item does not exist.
    public static var unknownItem: CKError.Code { .unknownItem }
    /// The request is invalid.
    public static var invalidArguments: CKError.Code { .invalidArguments }
    /// The record on the server is newer than the one that the client knows.
    public static var serverRecordChanged: CKError.Code { .serverRecordChanged }
    /// The server refused the request.
    public static var serverRejectedRequest: CKError.Code { .serverRejectedRequest }
    /// The file of an asset does not exist.
    public static var assetFileNotFound: CKError.Code { .assetFileNotFound }
    /// The file of an asset changed while it was being saved.
    public static var assetFileModified: CKError.Code { .assetFileModified }
    /// The version of the application is older than the oldest that is allowed.
    public static var incompatibleVersion: CKError.Code { .incompatibleVersion }
    /// A unique field already has the value.
    public static var constraintViolation: CKError.Code { .constraintViolation }
    /// The operation was cancelled.
    public static var operationCancelled: CKError.Code { .operationCancelled }
    /// The change token is too old.
    public static var changeTokenExpired: CKError.Code { .changeTokenExpired }
    /// The item was not processed, because another item of its atomic batch failed.
    public static var batchRequestFailed: CKError.Code { .batchRequestFailed }
    /// The zone is processing too many requests.
    public static var zoneBusy: CKError.Code { .zoneBusy }
    /// The operation is not available in the database.
    public static var badDatabase: CKError.Code { .badDatabase }
    /// The storage is full.
    public static var quotaExceeded: CKError.Code { .quotaExceeded }
    /// The zone does not exist.
    public static var zoneNotFound: CKError.Code { .zoneNotFound }
    /// The request exceeds a limit.
    public static var limitExceeded: CKError.Code { .limitExceeded }
    /// The user deleted the zone.
    public static var userDeletedZone: CKError.Code { .userDeletedZone }
    /// The share has too many participants.
    public static var tooManyParticipants: CKError.Code { .tooManyParticipants }
    /// The record is already part of a share.
    public static var alreadyShared: CKError.Code { .alreadyShared }
    /// The target of a reference does not exist, or cannot be deleted.
    public static var referenceViolation: CKError.Code { .referenceViolation }
    /// The policy of a managed account forbids the request.
    public static var managedAccountRestricted: CKError.Code { .managedAccountRestricted }
    /// The user is not known as a participant of the share.
    public static var participantMayNeedVerification: CKError.Code { .participantMayNeedVerification }
    /// The connection ended after the request had been sent; its outcome is unknown.
    public static var serverResponseLost: CKError.Code { .serverResponseLost }
    /// The asset cannot be read now.
    public static var assetNotAvailable: CKError.Code { .assetNotAvailable }
    /// The account exists, but cannot be used yet.
    public static var accountTemporarilyUnavailable: CKError.Code { .accountTemporarilyUnavailable }
    /// The participant is already invited to the share.
    public static var participantAlreadyInvited: CKError.Code { .participantAlreadyInvited }
    /// The server truncated the results. It is no longer sent.
    @available(macOS, introduced: 10.10, deprecated: 10.12, message: "Will not be returned")
    public static var resultsTruncated: CKError.Code { .resultsTruncated }
}
