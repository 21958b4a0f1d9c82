internal import CloudKitWire

/// An error dictionary of the server: a whole answer, or the place of an item in an answer (web-services 2.2).
struct ServerFault: Sendable {
    /// The dictionary.
    let json: JSONValue
    /// The code of CloudKit Web Services. It need not be one that this version knows.
    let serverErrorCode: String

    /// Reads an error dictionary; nil if the dictionary is not an error.
    init?(_ json: JSONValue) {
        guard let code = json["serverErrorCode"]?.string else { return nil }
        (self.json, serverErrorCode) = (json, code)
    }

    /// The name of the record that the error concerns.
    var recordName: String? { json["recordName"]?.string }
    /// The dictionary of the zone that the error concerns.
    var zoneID: JSONValue? { json["zoneID"] }
    /// The ID of the subscription that the error concerns.
    var subscriptionID: String? { json["subscriptionID"]?.string }
    /// The dictionary of the record on the server, in a conflict.
    var serverRecord: JSONValue? { json["serverRecord"] }
    /// The cause, as one of the words in `deploy/docs/errors.md`.
    var reasonCode: String? { json["reasonCode"]?.string }

    /// Apple's code: the one that the server names, or otherwise the one that corresponds to the code of CloudKit Web
    /// Services. An unknown code is read as ``CKError/Code/internalError``.
    var code: CKError.Code {
        if let number = json["ckErrorCode"]?.int, let code = CKError.Code(rawValue: Int(number)) { return code }
        return Self.codes[serverErrorCode] ?? .internalError
    }

    /// The error that applications receive.
    ///
    /// - Parameters:
    ///   - status: the status of the HTTP answer.
    ///   - details: more values of the user info, such as the records of a conflict.
    func error(status: Int? = nil, adding details: [String: Any] = [:]) -> CKError {
        var info: [String: Any] = [ZondaErrorKey.serverErrorCode: serverErrorCode]
        for (key, name) in Self.texts { info[name] = json[key]?.string }
        for (key, name) in Self.numbers { info[name] = json[key]?.double.map { NSNumber(value: $0) } }
        if info[ZondaErrorKey.requestID] == nil { info[ZondaErrorKey.requestID] = json["uuid"]?.string }
        info[ZondaErrorKey.httpStatus] = status.map { NSNumber(value: $0) }
        info[NSLocalizedDescriptionKey] = description
        if let number = Self.internalNumbers[code] { info["NSDebugDescription"] = "CKInternalErrorDomain: \(number)" }
        if reasonCode == "zone_encrypted_data_reset" { info[CKErrorUserDidResetEncryptedDataKey] = NSNumber(true) }
        return CKError(code, userInfo: info.merging(details) { _, new in new })
    }

    private var description: String {
        guard let reason = json["reason"]?.string, !reason.isEmpty else { return code.advice }
        guard let hint = json["hint"]?.string else { return reason }
        return reason.hasSuffix(".") ? "\(reason) \(hint)" : "\(reason). \(hint)"
    }

    private static let texts = [
        ("reason", ZondaErrorKey.reason), ("reasonCode", ZondaErrorKey.reasonCode), ("hint", ZondaErrorKey.hint),
        ("requestID", ZondaErrorKey.requestID), ("field", ZondaErrorKey.field),
        ("recordType", ZondaErrorKey.recordType), ("documentation", ZondaErrorKey.documentation),
        ("redirectURL", ZondaErrorKey.signInURL),
    ]

    private static let numbers = [
        ("limit", ZondaErrorKey.limit), ("actual", ZondaErrorKey.actual), ("retryAfter", CKErrorRetryAfterKey),
    ]

    /// The numbers that descriptions of Apple's errors contain beside the code (semantics 13.2).
    private static let internalNumbers: [CKError.Code: Int] = [
        .partialFailure: 1011, .badContainer: 1014, .serverRecordChanged: 2004, .changeTokenExpired: 2026,
        .batchRequestFailed: 2024, .zoneNotFound: 2036, .limitExceeded: 2023, .userDeletedZone: 2042,
        .serviceUnavailable: 2022,
    ]

    /// Apple's codes of the codes of CloudKit Web Services (semantics 13.3).
    private static let codes: [String: CKError.Code] = [
        "ACCESS_DENIED": .permissionFailure,
        "ATOMIC_ERROR": .batchRequestFailed,
        "AUTHENTICATION_FAILED": .notAuthenticated,
        "AUTHENTICATION_REQUIRED": .notAuthenticated,
        "BAD_REQUEST": .invalidArguments,
        "CONFLICT": .serverRecordChanged,
        "EXISTS": .serverRecordChanged,
        "INTERNAL_ERROR": .internalError,
        "NOT_FOUND": .unknownItem,
        "QUOTA_EXCEEDED": .quotaExceeded,
        "THROTTLED": .requestRateLimited,
        "TRY_AGAIN_LATER": .serviceUnavailable,
        "UNIQUE_FIELD_ERROR": .constraintViolation,
        "VALIDATING_REFERENCE_ERROR": .referenceViolation,
        "ZONE_BUSY": .zoneBusy,
        "ZONE_NOT_FOUND": .zoneNotFound,
    ]
}
