import CloudKitModel
import CloudKitWire
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

    @Test func theTableIsSound() {
        for word in ReasonCode.allCases {
            let (name, entry) = (word.rawValue, word.entry)
            #expect(name.wholeMatch(of: /[a-z]+(_[a-z]+)*/) != nil, "\(name)")
            #expect(ReasonCode(name) == word)
            #expect(entry.meaning.hasSuffix(".") && entry.hint.hasSuffix("."), "\(name)")
            #expect(!entry.hint.contains("|") && !entry.meaning.contains("|"), "\(name)")
        }
    }

    /// Appendix A 18: an error after which the same request may be retried says when to retry.
    @Test func whatPassesTellsWhenToComeAgain() {
        for word in ReasonCode.allCases {
            let error = ServerError(word, "…")
            let isTemporary = [6, 7, 23].contains(error.ckErrorCode)
            if isTemporary { #expect((error.retryAfter ?? 0) >= 1, "\(word)") }
            if [429, 503].contains(error.code.httpStatus) { #expect(error.retryAfter != nil, "\(word)") }
        }
        #expect(ServerError(.throttled, "…", retryAfter: 7).retryAfter == 7)
    }

    @Test func anErrorTellsWhatHelpsToFindAndMendIt() throws {
        var writer = WireWriter()
        writer.requestID = "r-1"
        writer.itemError(.typeNotInProduction("Note"), recordName: "n")
        let error = try JSONValue(parsing: writer.bytes)
        #expect(error["recordName"] == "n" && error["recordType"] == "Note" && error["field"] == "recordType")
        #expect(error["requestID"] == "r-1")
        #expect(error["hint"] == "Save a record of the type in development and deploy the schema.")
        #expect(error["documentation"] == "errors.md#type_not_deployed")
    }

    @Test func aWholeRequestsErrorTellsItsSubjectAndItsIDTwice() throws {
        var writer = WireWriter()
        writer.requestError(.zoneNotFound(Self.zone), uuid: "r-2")
        let error = try JSONValue(parsing: writer.bytes)
        #expect(error["uuid"] == "r-2" && error["requestID"] == "r-2")
        #expect(error["zoneID"]?["zoneName"] == "Drafts")
    }

    @Test func aWordOfAnotherVersionIsPassedOnAsItIs() throws {
        let error = ServerError(
            reported: .badRequest, ckErrorCode: 27, reasonCode: "of_tomorrow", reason: "r", limit: 3)
        var writer = WireWriter()
        writer.itemError(error, recordName: "n")
        let written = try JSONValue(parsing: writer.bytes)
        #expect(written["reasonCode"] == "of_tomorrow" && written["ckErrorCode"] == 27 && written["limit"] == 3)
        #expect(written["hint"] == nil)
    }

    @Test func aLimitsErrorNamesTheLimitAndBothNumbers() {
        let error = ServerError.tooMany("operations", limit: 200, actual: 201)
        #expect(
            error.reason == "Your request contains 201 operations which is more than the maximum number of operations "
                + "in a single request (200)")
        #expect(error.ckErrorCode == 27 && error.limit == 200 && error.actual == 201 && error.field == "operations")
    }
}
