extension CKError.Code {
    /// What happened and what to do about it, for errors that bring no description of their own.
    var advice: String {
        switch self {
        case .internalError: "CloudKit failed. If it happens again, report it with the request's ID."
        case .partialFailure: "Some items failed. Read the error of each in partialErrorsByItemID."
        case .networkUnavailable: "There is no network connection. Try again when the network is available."
        case .networkFailure: "The request failed on its way through the network. Try again."
        case .badContainer: "The container does not exist, or this client may not use it. Check its identifier."
        case .serviceUnavailable: "The service is unavailable. Try again after retryAfterSeconds."
        case .requestRateLimited: "There are too many requests. Try again after retryAfterSeconds."
        case .missingEntitlement: "The application lacks an entitlement. Add the CloudKit capability."
        case .notAuthenticated: "No user is signed in. Sign in, and try again."
        case .permissionFailure: "The user does not have permission for the operation."
        case .unknownItem: "The item does not exist. Create it, or delete the local copy."
        case .invalidArguments: "The request is invalid. Correct its arguments."
        case .resultsTruncated: "The server truncated the results. Ask for the rest."
        case .serverRecordChanged:
            "The record has changed on the server. Merge your changes into serverRecord, and save it."
        case .serverRejectedRequest: "The server refused the request."
        case .assetFileNotFound: "The file of an asset does not exist. Create the asset with an existing file."
        case .assetFileModified: "The file of an asset changed while it was being saved. Save the record again."
        case .incompatibleVersion: "This version of the application is too old. Update it."
        case .constraintViolation: "Another record has the value of a unique field. Choose another value."
        case .operationCancelled: "The operation was cancelled."
        case .changeTokenExpired: "The change token has expired. Fetch all changes with a nil token."
        case .batchRequestFailed:
            "Nothing was saved, because another item of the atomic batch failed. Correct that item, and try again."
        case .zoneBusy: "The zone is busy. Try again after retryAfterSeconds."
        case .badDatabase: "The operation is not available in this database. Use another database."
        case .quotaExceeded: "The storage is full. Delete data, and try again."
        case .zoneNotFound: "The zone does not exist. Create it, and try again."
        case .limitExceeded: "The request exceeds a limit. Split it into smaller requests."
        case .userDeletedZone: "The user deleted the zone. Delete the local copy of its data."
        case .tooManyParticipants: "The share has too many participants. Remove some, and try again."
        case .alreadyShared: "The record is already part of a share. Use the existing share."
        case .referenceViolation: "The target of a reference does not exist, or records still refer to the record."
        case .managedAccountRestricted: "The policy of the managed account forbids the request."
        case .participantMayNeedVerification: "The user must be verified as a participant. Open the share's URL."
        case .serverResponseLost: "The connection ended before the answer. Fetch the items to see the outcome."
        case .assetNotAvailable: "The asset cannot be read now. Try again later."
        case .accountTemporarilyUnavailable: "The account is not ready. Keep local data, and try again later."
        case .participantAlreadyInvited: "The participant is already invited to the share."
        }
    }
}
