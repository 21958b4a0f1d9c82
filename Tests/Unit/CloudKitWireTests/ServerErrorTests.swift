import CloudKitModel
import Testing

struct ServerErrorTests {
    @Test func theWireHasFourteenCodesWithTheirStatuses() {
        let table = Dictionary(uniqueKeysWithValues: ServerErrorCode.allCases.map { ($0.rawValue, $0.httpStatus) })
        #expect(
            table == [
                "ACCESS_DENIED": 403, "ATOMIC_ERROR": 400, "AUTHENTICATION_FAILED": 401,
                "AUTHENTICATION_REQUIRED": 421, "BAD_REQUEST": 400, "CONFLICT": 409, "EXISTS": 409,
                "INTERNAL_ERROR": 500, "NOT_FOUND": 404, "QUOTA_EXCEEDED": 413, "THROTTLED": 429,
                "TRY_AGAIN_LATER": 503, "VALIDATING_REFERENCE_ERROR": 412, "ZONE_NOT_FOUND": 404,
            ])
    }

    static let zone = ZoneID(zoneName: ZoneName(unchecked: "Drafts"))

    @Test(arguments: [
        (ServerError.staleChangeTag("n"), "CONFLICT", 14, "client oplock error updating record"),
        (.recordExists("n"), "CONFLICT", 14, "record to insert already exists"),
        (.recordNotFound("n"), "NOT_FOUND", 11, "Record not found"),
        (.zoneNotFound(zone), "ZONE_NOT_FOUND", 26, "Zone 'Drafts' does not exist"),
        (
            .wrongValueType("ASSETID", field: "image", recordType: "Page", defined: "BYTES"), "BAD_REQUEST", 12,
            "invalid attempt to set value type ASSETID for field 'image' for type 'Page', defined to be: BYTES"
        ),
        (
            .emptyListCannotInitialize(field: "x"), "BAD_REQUEST", 12,
            "cannot use an empty list to initialize a new field"
        ),
        (
            .fieldNotInProduction(field: "x", recordType: "Y"), "BAD_REQUEST", 12,
            "Cannot create or modify field 'x' in record 'Y' in production schema"
        ),
        (.typeNotInProduction("X"), "BAD_REQUEST", 12, "Cannot create new type X in production schema"),
        (.noChangesInDefaultZone(), "BAD_REQUEST", 12, "cannot get changes in default zone"),
        (.atomicInDefaultZone(), "BAD_REQUEST", 12, "atomic operations not supported in default zone"),
    ])
    func textsAreCloudKitsOwn(error: ServerError, code: String, ckErrorCode: Int, reason: String) {
        #expect(error.code.rawValue == code)
        #expect(error.ckErrorCode == ckErrorCode)
        #expect(error.reason == reason)
    }

    @Test(arguments: [
        (ServerError.changeTokenExpired(.purged), "BAD_REQUEST", 21, "change_token_expired"),
        (.changeTokenForeign(), "BAD_REQUEST", 12, "change_token_foreign"),
        (.changeTokenInvalid(), "BAD_REQUEST", 12, "change_token_invalid"),
        (.zonePurged(zone), "ZONE_NOT_FOUND", 28, "zone_purged"),
        (.atomicFailure("n"), "ATOMIC_ERROR", 22, "atomic_failure"),
        (.recordTooLarge(limit: 1, actual: 2), "BAD_REQUEST", 27, "record_too_large"),
        (
            .referenceTargetMissing(field: "f", target: "t"), "VALIDATING_REFERENCE_ERROR", 31,
            "reference_target_missing"
        ),
    ])
    func reasonCodesAreStable(error: ServerError, code: String, ckErrorCode: Int, reasonCode: String) {
        #expect(error.code.rawValue == code)
        #expect(error.ckErrorCode == ckErrorCode)
        #expect(error.reasonCode == reasonCode)
    }
}
