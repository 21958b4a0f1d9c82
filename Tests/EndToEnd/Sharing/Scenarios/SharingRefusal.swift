import CloudKitWire

/// The three codes of an error.
struct SharingRefusal: Sendable, Equatable, CustomStringConvertible {
    let serverErrorCode: String
    let ckErrorCode: Int64
    let reasonCode: String

    init(_ serverErrorCode: String, _ ckErrorCode: Int64, _ reasonCode: String) {
        (self.serverErrorCode, self.ckErrorCode, self.reasonCode) = (serverErrorCode, ckErrorCode, reasonCode)
    }

    /// Reads the codes of an answer or of an item of an answer; nil if it is not an error.
    init?(_ item: JSONValue) {
        guard let code = item["serverErrorCode"]?.string else { return nil }
        self.init(code, item["ckErrorCode"]?.int ?? 0, item["reasonCode"]?.string ?? "")
    }

    /// Returns the outcome of each item of an answer: nil for success. A refused request has one outcome.
    static func outcomes(of body: JSONValue) -> [SharingRefusal?] {
        if let refusal = SharingRefusal(body) { return [refusal] }
        let lists = ["records", "results", "zones", "subscriptions", "assets", "tokens"]
        return (lists.lazy.compactMap { body[$0]?.array }.first ?? []).map { SharingRefusal($0) }
    }

    var description: String { "\(serverErrorCode) \(ckErrorCode) \(reasonCode)" }

    static let notSignedIn = SharingRefusal("AUTHENTICATION_REQUIRED", 9, "authentication_required")
    static let accessDenied = SharingRefusal("ACCESS_DENIED", 10, "access_denied")
    static let zoneOfAnotherUser = SharingRefusal("ACCESS_DENIED", 10, "zone_of_another_user")
    static let recordUnknown = SharingRefusal("NOT_FOUND", 11, "record_not_found")
    static let linkUnknown = SharingRefusal("NOT_FOUND", 11, "share_link_unknown")
    static let keyMissing = SharingRefusal("BAD_REQUEST", 12, "missing_key")
    static let fieldNameInvalid = SharingRefusal("BAD_REQUEST", 12, "field_name_invalid")
    static let rootMissing = SharingRefusal("BAD_REQUEST", 12, "share_root_missing")
    static let zoneHasShares = SharingRefusal("BAD_REQUEST", 12, "zone_has_shares")
    static let shareFieldInvalid = SharingRefusal("BAD_REQUEST", 12, "share_field_invalid")
    static let participantInvalid = SharingRefusal("BAD_REQUEST", 12, "participant_invalid")
    static let userNameInvalid = SharingRefusal("BAD_REQUEST", 12, "user_name_invalid")
    static let wrongKind = SharingRefusal("BAD_REQUEST", 12, "wrong_kind")
    static let tagStale = SharingRefusal("CONFLICT", 14, "change_tag_stale")
    static let recordExists = SharingRefusal("CONFLICT", 14, "record_exists")
    static let zoneSharedAsWhole = SharingRefusal("BAD_REQUEST", 15, "zone_shared_as_whole")
    static let shareNotInDatabase = SharingRefusal("BAD_REQUEST", 24, "share_not_in_database")
    static let zonesNotInDatabase = SharingRefusal("BAD_REQUEST", 24, "zones_not_in_database")
    static let zoneUnknown = SharingRefusal("ZONE_NOT_FOUND", 26, "zone_not_found")
    static let limitExceeded = SharingRefusal("BAD_REQUEST", 27, "limit_exceeded")
    static let recordTooLarge = SharingRefusal("BAD_REQUEST", 27, "record_too_large")
    static let tooManyParticipants = SharingRefusal("BAD_REQUEST", 29, "too_many_participants")
    static let alreadyShared = SharingRefusal("BAD_REQUEST", 30, "already_shared")
    static let targetMissing = SharingRefusal("VALIDATING_REFERENCE_ERROR", 31, "reference_target_missing")
    static let notVerified = SharingRefusal("ACCESS_DENIED", 33, "participant_not_verified")
}
