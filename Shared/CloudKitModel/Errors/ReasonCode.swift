/// The words by which programs tell errors apart: every `reasonCode` that any service answers, and no other, since a
/// ``ServerError`` is made of one. What each means stands in ``entry``; `deploy/docs/errors.md` is printed from both.
///
/// A word is never given another meaning, and never taken away.
package enum ReasonCode: String, CaseIterable, Hashable, Sendable {
    // The message and its body.
    case headerMissing = "header_missing"
    case headerInvalid = "header_invalid"
    case versionNotSupported = "version_not_supported"
    case messageIDRequired = "message_id_required"
    case messageIDReused = "message_id_reused"
    case replyToNotAllowed = "reply_to_not_allowed"
    case containerInvalid = "container_invalid"
    case containerNotFound = "container_not_found"
    case environmentInvalid = "environment_invalid"
    case databaseInvalid = "database_invalid"
    case sharedDatabaseNotServed = "shared_database_not_served"
    case operationUnknown = "operation_unknown"
    case invalidJSON = "invalid_json"
    case missingKey = "missing_key"
    case keyRepeated = "key_repeated"
    case wrongKind = "wrong_kind"
    case unknownOperation = "unknown_operation"
    case limitExceeded = "limit_exceeded"

    // Who may, and how often.
    case authenticationRequired = "authentication_required"
    case userNameInvalid = "user_name_invalid"
    case accessDenied = "access_denied"
    case zoneOfAnotherUser = "zone_of_another_user"
    case throttled = "throttled"

    // Names.
    case recordNameEmpty = "record_name_empty"
    case recordNameTooLong = "record_name_too_long"
    case recordNameHasControlCharacter = "record_name_has_control_character"
    case recordNameReserved = "record_name_reserved"
    case recordTypeEmpty = "record_type_empty"
    case recordTypeTooLong = "record_type_too_long"
    case recordTypeInvalid = "record_type_invalid"
    case recordTypeReserved = "record_type_reserved"
    case fieldNameEmpty = "field_name_empty"
    case fieldNameTooLong = "field_name_too_long"
    case fieldNameInvalid = "field_name_invalid"
    case fieldNameReserved = "field_name_reserved"
    case zoneNameEmpty = "zone_name_empty"
    case zoneNameTooLong = "zone_name_too_long"
    case zoneNameHasControlCharacter = "zone_name_has_control_character"
    case zoneNameReserved = "zone_name_reserved"

    // Values and types.
    case invalidValue = "invalid_value"
    case unexpectedInput = "unexpected_input"
    case unknownType = "unknown_type"
    case unknownAction = "unknown_action"
    case fieldRepeated = "field_repeated"
    case mixedList = "mixed_list"
    case numberOutOfRange = "number_out_of_range"
    case locationOutOfRange = "location_out_of_range"
    case nulInString = "nul_in_string"
    case loneSurrogate = "lone_surrogate"
    case fieldTypeMismatch = "field_type_mismatch"
    case emptyListNewField = "empty_list_new_field"
    case fieldNotDeployed = "field_not_deployed"
    case typeNotDeployed = "type_not_deployed"
    case fieldNotEncrypted = "field_not_encrypted"
    case typeNeverEncrypted = "type_never_encrypted"
    case schemaInvalid = "schema_invalid"
    case schemaLosesData = "schema_loses_data"
    case schemaTooLarge = "schema_too_large"
    case roleNotFound = "role_not_found"
    case encryptedInPublicDatabase = "encrypted_in_public_database"

    // Records.
    case recordNotFound = "record_not_found"
    case recordExists = "record_exists"
    case changeTagStale = "change_tag_stale"
    case atomicFailure = "atomic_failure"
    case recordRepeated = "record_repeated"
    case recordTypeChanged = "record_type_changed"
    case recordTooLarge = "record_too_large"
    case replyTooLarge = "reply_too_large"
    case referenceTargetMissing = "reference_target_missing"
    case recordStillReferenced = "record_still_referenced"
    case referenceLeavesZone = "reference_leaves_zone"
    case tooManyOwningReferences = "too_many_owning_references"

    // Zones and change feeds.
    case zoneNotFound = "zone_not_found"
    case zonePurged = "zone_purged"
    case zoneEncryptedDataReset = "zone_encrypted_data_reset"
    case zoneBusy = "zone_busy"
    case zoneNotModifiable = "zone_not_modifiable"
    case zonesNotInDatabase = "zones_not_in_database"
    case defaultZoneNotAtomic = "default_zone_not_atomic"
    case defaultZoneHasNoChanges = "default_zone_has_no_changes"
    case changesNotInDatabase = "changes_not_in_database"
    case changeTokenExpired = "change_token_expired"
    case changeTokenForeign = "change_token_foreign"
    case changeTokenInvalid = "change_token_invalid"

    // Queries.
    case recordTypeNotFound = "record_type_not_found"
    case fieldNotFound = "field_not_found"
    case typeNotQueryable = "type_not_queryable"
    case fieldNotQueryable = "field_not_queryable"
    case fieldNotSortable = "field_not_sortable"
    case fieldNotSearchable = "field_not_searchable"
    case unknownComparator = "unknown_comparator"
    case filterInvalid = "filter_invalid"
    case notComparable = "not_comparable"
    case predicateNotSupported = "predicate_not_supported"
    case predicateTooLarge = "predicate_too_large"
    case regularExpressionInvalid = "regular_expression_invalid"
    case sortInvalid = "sort_invalid"
    case scanTooLarge = "scan_too_large"
    case queryTooExpensive = "query_too_expensive"
    case queryMarkerInvalid = "query_marker_invalid"
    case queryMarkerForeign = "query_marker_foreign"
    case queryMarkerExpired = "query_marker_expired"
    case aggregateInvalid = "aggregate_invalid"
    case tooManyGroups = "too_many_groups"

    // Assets.
    case assetReceiptMissing = "asset_receipt_missing"
    case assetReceiptInvalid = "asset_receipt_invalid"
    case assetReceiptExpired = "asset_receipt_expired"
    case assetReceiptForeign = "asset_receipt_foreign"
    case assetReceiptMismatch = "asset_receipt_mismatch"
    case assetBytesMissing = "asset_bytes_missing"
    case assetFieldEmpty = "asset_field_empty"
    case assetTooLarge = "asset_too_large"
    case assetNotFound = "asset_not_found"
    case assetNotAvailable = "asset_not_available"
    case assetStoreInTrouble = "asset_store_in_trouble"
    case tooManyAssets = "too_many_assets"
    case checksumInvalid = "checksum_invalid"
    case uploadURLInvalid = "upload_url_invalid"
    case uploadURLExpired = "upload_url_expired"
    case uploadIncomplete = "upload_incomplete"
    case downloadURLInvalid = "download_url_invalid"
    case downloadURLExpired = "download_url_expired"
    case multipartBoundaryInvalid = "multipart_boundary_invalid"
    case multipartMalformed = "multipart_malformed"
    case multipartWithoutFile = "multipart_without_file"
    case pathUnknown = "path_unknown"

    // Subscriptions.
    case subscriptionNotFound = "subscription_not_found"
    case subscriptionIDInvalid = "subscription_id_invalid"
    case subscriptionTypeUnknown = "subscription_type_unknown"
    case subscriptionTypeNotServed = "subscription_type_not_served"
    case zoneSubscriptionNotInDatabase = "zone_subscription_not_in_database"
    case defaultZoneNotWatchable = "default_zone_not_watchable"
    case notificationInfoTooLong = "notification_info_too_long"
    case tooManySubscriptions = "too_many_subscriptions"

    // Trouble of the services' own.
    case databaseAway = "database_away"
    case recordServiceAway = "record_service_away"
    case serviceEnding = "service_ending"
    case internalError = "internal_error"
    case requestDeadLettered = "request_dead_lettered"
    case outcomeUnreadable = "outcome_unreadable"
    case storedRecordDamaged = "stored_record_damaged"
    case storedFieldDamaged = "stored_field_damaged"
    case schemaNotLearnt = "schema_not_learnt"
    case databaseNotMade = "database_not_made"
    case zoneNotMade = "zone_not_made"
    case changesLogFailed = "changes_log_failed"
    case eventMalformed = "event_malformed"
    case jobMalformed = "job_malformed"

    private static let named = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })

    /// The word spelled so; nil if there is none in this version. Costs a hash, where `init(rawValue:)` tries them all.
    package init?(_ word: String) {
        guard let known = Self.named[word] else { return nil }
        self = known
    }

    /// Where its explanation is, from the folder of the documents.
    package var documentation: String { "errors.md#\(rawValue)" }
}
