extension ReasonCode {
    /// The error's row in the table, which is the only place where errors are defined. If a reason code has no row,
    /// this file does not compile.
    package var entry: Entry {
        switch self {
        // The message and its body.
        case .headerMissing:
            Entry(.badRequest, "A required header is missing.", hint: "Set the header named in 'field'.")
        case .headerInvalid:
            Entry(
                .badRequest, "A header or property has an invalid value.",
                hint: "Correct the header named in 'field'.")
        case .versionNotSupported:
            Entry(
                .badRequest, "`zonda-version` is not 1.", hint: "Omit zonda-version or set it to 1.",
                web: "Use version 1, as in the path '/database/1/'.")
        case .messageIDRequired:
            Entry(
                .badRequest, "A write has no `message-id`.",
                hint: "Give each write a unique message-id, and use the same one when you repeat the write.",
                web: "Give each write a unique Idempotency-Key, and use the same one when you repeat the write.")
        case .messageIDReused:
            Entry(
                .badRequest, "The `message-id` was used for a different request in the last 24 hours.",
                hint: "Use a new message-id for each new request.",
                web: "Use a new Idempotency-Key for each new request.")
        case .replyToNotAllowed:
            Entry(
                .badRequest, "The `reply-to` is not allowed.",
                hint:
                    "Use amq.rabbitmq.reply-to or a queue named 'reply.…' ('reply.USER.…' if there is a producers file)."
            )
        case .containerInvalid:
            Entry(
                .badRequest, "The container identifier is invalid.",
                hint: "Use 1 to 255 visible ASCII characters.")
        case .containerNotFound:
            Entry(
                .notFound, ck: .badContainer, retry: .no, "The container does not exist.",
                hint: "Ask the operator to create it with 'zonda container create'.")
        case .environmentInvalid:
            Entry(
                .badRequest, "The environment is unknown.", hint: "Use 'development' or 'production'.")
        case .databaseInvalid:
            Entry(
                .badRequest, "The database is unknown.", hint: "Use 'public', 'private' or 'shared'.")
        case .sharedDatabaseNotServed:
            Entry(
                .accessDenied, ck: .badDatabase, retry: .no,
                "The operation is not supported in the shared database yet.",
                hint: "Use the private or the public database.")
        case .operationUnknown:
            Entry(
                .notFound, ck: .invalidArguments, retry: .no, "The operation is unknown.",
                hint: "See asyncapi.yaml for the operations and their exchanges.",
                web: "See openapi.yaml for the endpoints.")
        case .invalidJSON:
            Entry(
                .badRequest, "The body is not a JSON object.",
                hint: "Correct the body; 'actual' is the offset of the first byte that is not valid JSON.")
        case .missingKey:
            Entry(.badRequest, "A required key is missing or null.", hint: "Add the key named in 'field'.")
        case .keyRepeated:
            Entry(.badRequest, "A dictionary contains a key twice.", hint: "Use the key named in 'field' only once.")
        case .wrongKind:
            Entry(
                .badRequest, "The value of a key has the wrong type.",
                hint: "For the key named in 'field', use a value of the type given in 'reason'.")
        case .unknownOperation:
            Entry(
                .badRequest, "The `operationType` is unknown.",
                hint: "See asyncapi.yaml for the operation types.", web: "See openapi.yaml for the operation types.")
        case .limitExceeded:
            Entry(
                .badRequest, ck: .limitExceeded, "The request has too many items, or its body is too large.",
                hint: "Split the request into smaller requests that are within the limit.")

        // Authentication, permissions and rate limits.
        case .authenticationRequired:
            Entry(
                .authenticationRequired, retry: .no, "The request requires a signed-in user.",
                hint: "Set the zonda-user header.", web: "Sign the user in at redirectURL and send ckWebAuthToken.")
        case .userNameInvalid:
            Entry(
                .badRequest, "The user record name is invalid.",
                hint: "Use '_' followed by 32 lower-case hexadecimal digits.")
        case .accessDenied:
            Entry(
                .accessDenied, retry: .no, "The user does not have permission for the operation.",
                hint: "Ask the container's administrator for permission.")
        case .zoneOfAnotherUser:
            Entry(
                .accessDenied, retry: .no, "The zone belongs to another user.",
                hint: "Omit ownerRecordName; zones of other users are in the shared database.")
        case .throttled:
            Entry(
                .throttled, retry: .later(seconds: 1),
                "The container, user, API token or address has exceeded its request rate limit.",
                hint: "Wait for the number of seconds in retryAfter, and put more operations in each request.")

        // Names.
        case .recordNameEmpty, .recordTypeEmpty, .fieldNameEmpty, .zoneNameEmpty:
            Entry(.badRequest, "A name is empty.", hint: "Use a name of at least one character.")
        case .recordNameTooLong, .recordTypeTooLong, .fieldNameTooLong, .zoneNameTooLong:
            Entry(.badRequest, "A name is longer than 255 bytes in UTF-8.", hint: "Shorten the name.")
        case .recordNameHasControlCharacter, .zoneNameHasControlCharacter:
            Entry(.badRequest, "A name contains a control character.", hint: "Remove the character from the name.")
        case .recordTypeInvalid, .fieldNameInvalid:
            Entry(
                .badRequest, "A name is not a valid identifier.",
                hint: "Begin the name with an ASCII letter, and use only ASCII letters, digits and '_' after it.")
        case .recordNameReserved, .recordTypeReserved, .fieldNameReserved, .zoneNameReserved:
            Entry(
                .badRequest, "A name is reserved for the system.",
                hint: "Choose a name that does not begin with '_' and is not the name of a system field.")

        // Values and types.
        case .invalidValue:
            Entry(
                .badRequest, "A value does not match its declared `type`.", hint: "Correct the value or its type.")
        case .unexpectedInput:
            Entry(
                .badRequest, "A value has an unrecognized form.",
                hint: "See asyncapi.yaml for the forms that a value can take.",
                web: "See openapi.yaml for the forms that a value can take.")
        case .unknownType:
            Entry(
                .badRequest, "The `type` of a value is unknown.", hint: "See asyncapi.yaml for the types of fields.",
                web: "See openapi.yaml for the types of fields.")
        case .unknownAction:
            Entry(
                .badRequest, "The `action` of a reference is unknown.", hint: "Use NONE, DELETE_SELF or VALIDATE.")
        case .fieldRepeated:
            Entry(.badRequest, "A record contains a field twice.", hint: "Include the field only once.")
        case .mixedList:
            Entry(
                .badRequest, "The elements of a list have different types.",
                hint: "Use elements that all have the same type.")
        case .numberOutOfRange:
            Entry(
                .badRequest, "A number is outside the range of DOUBLE.", hint: "Use a number from -1.8e308 to 1.8e308.")
        case .locationOutOfRange:
            Entry(
                .badRequest, "The coordinates of a location are out of range.",
                hint: "Use a latitude from -90 to 90 degrees and a longitude from -180 to 180.")
        case .nulInString:
            Entry(
                .badRequest, "A string contains the NUL character.",
                hint: "Remove the NUL character, or save the value as BYTES.")
        case .loneSurrogate:
            Entry(
                .badRequest, "A string contains half of a surrogate pair.", hint: "Send both halves or neither.")
        case .fieldTypeMismatch:
            Entry(
                .badRequest, "The type of a value differs from the type of its field.",
                hint: "Save a value of the field's type, or use another field.")
        case .emptyListNewField:
            Entry(
                .badRequest, "The first value of a field is an empty list, which does not determine the field's type.",
                hint: "Set the value's type, or first save a list that is not empty.")
        case .fieldNotDeployed:
            Entry(
                .badRequest, "The production schema does not contain the field.",
                hint: "Save the field in development and deploy the schema.")
        case .typeNotDeployed:
            Entry(
                .badRequest, "The production schema does not contain the record type.",
                hint: "Save a record of the type in development and deploy the schema.")
        case .fieldNotEncrypted:
            Entry(
                .badRequest, "The value is encrypted, but the field is not.",
                hint: "Omit isEncrypted, or use another field.")
        case .typeNeverEncrypted:
            Entry(
                .badRequest, "A reference or an asset is marked `isEncrypted`.",
                hint: "Omit isEncrypted: the service must be able to read references, and assets are always encrypted.")
        case .schemaInvalid:
            Entry(
                .badRequest,
                "The text of a schema is invalid at the position given by `line` and `column`.",
                hint: "Correct the text at that position; 'zonda schema validate' checks it without a server.")
        case .schemaLosesData:
            Entry(
                .badRequest,
                "A schema omits a type or field that exists in production, or changes the type of a field.",
                hint: "Export the production schema and add to it.")
        case .schemaTooLarge:
            Entry(
                .badRequest, ck: .limitExceeded,
                "The save would exceed the limit on record types, or on the fields of a record type.",
                hint: "Store data that varies between records in field values, not in field names.")
        case .roleNotFound:
            Entry(
                .notFound, ck: .invalidArguments, "The schema does not define the role.",
                hint: "Add CREATE ROLE to the schema and import it.")
        case .encryptedInPublicDatabase:
            Entry(
                .badRequest, "The public database does not support encrypted values.",
                hint: "Save encrypted values in a private database.")

        // Records.
        case .recordNotFound:
            Entry(.notFound, retry: .no, "The record does not exist.", hint: "Create it, or delete the local copy.")
        case .recordExists:
            Entry(
                .conflict, "A record with this name already exists; it is in `serverRecord`.",
                hint: "Update the record, or choose another name.")
        case .changeTagStale:
            Entry(
                .conflict, "The `recordChangeTag` is out of date; the current record is in `serverRecord`.",
                hint: "Merge your changes into serverRecord and save it with its recordChangeTag.")
        case .atomicFailure:
            Entry(
                .atomicError, "Nothing was saved because another operation of the atomic request failed.",
                hint: "Correct the operations whose error is not ATOMIC_ERROR, and send all of them again.")
        case .recordRepeated:
            Entry(
                .badRequest, "Two operations of a request name the same record.",
                hint: "Remove one of them, or send two requests.")
        case .recordTypeChanged:
            Entry(
                .badRequest, "A save would change the type of a record.",
                hint: "Save the record with its current type, or under another name.")
        case .recordTooLarge:
            Entry(
                .badRequest, ck: .limitExceeded, "The record, without its assets, is too large.",
                hint: "Reduce its largest field, or save it as an asset.")
        case .replyTooLarge:
            Entry(
                .badRequest, ck: .limitExceeded, "The result does not fit in a reply.",
                hint: "Request it separately, with fewer fields, or in smaller parts.")
        case .referenceTargetMissing:
            Entry(
                .validatingReferenceError, "A parent or the target of a reference does not exist.",
                hint: "Save the target first, or in the same request.")
        case .recordStillReferenced:
            Entry(
                .validatingReferenceError,
                "A record to be deleted, or one of its dependents, is the parent or the validated target of another record.",
                hint: "Delete the referring record in the same request, or remove its reference.")
        case .referenceLeavesZone:
            Entry(
                .badRequest, "A reference points to a record in another zone.",
                hint: "Refer only to records in the same zone; save the names of other records as strings.")
        case .tooManyOwningReferences:
            Entry(
                .badRequest, ck: .limitExceeded, "The limit on `DELETE_SELF` references to a record has been reached.",
                hint: "Distribute the references over several records.")

        // Sharing.
        case .shareNotInDatabase:
            Entry(
                .badRequest, ck: .badDatabase, retry: .no,
                "The database or the zone cannot contain a share.",
                hint: "Save the share in a custom zone of the private database.")
        case .shareRootMissing:
            Entry(
                .badRequest, "The share does not name a root record, or the root record does not exist.",
                hint: "Set forRecord to a record that exists or is saved by the same request.")
        case .alreadyShared:
            Entry(
                .badRequest, ck: .alreadyShared,
                "The record is shared or belongs to a share, or a record below it is the root of a share.",
                hint: "Use the existing share, or delete it first.")
        case .zoneSharedAsWhole:
            Entry(
                .badRequest, ck: .serverRejectedRequest, "The whole zone is already shared.",
                hint: "Delete the share 'cloudkit.zoneshare' first, or save the record in another zone.")
        case .zoneHasShares:
            Entry(
                .badRequest, "The zone contains shares of single records, so the whole zone cannot be shared.",
                hint: "Delete the shares of the zone first.")
        case .shareFieldInvalid:
            Entry(
                .badRequest, "A key of a share has an invalid value, or occurs in a record that is not a share.",
                hint: "See asyncapi.yaml for the keys of shares.", web: "See openapi.yaml for the keys of shares.")
        case .participantInvalid:
            Entry(
                .badRequest, "A participant of a share is incomplete, is repeated, or is the share's owner.",
                hint: "List each participant once, with a user record name or an email address.")
        case .tooManyParticipants:
            Entry(
                .badRequest, ck: .tooManyParticipants, "The share has too many participants.",
                hint: "Remove participants, or set the public permission of the share.")
        case .shareLinkUnknown:
            Entry(
                .notFound, "The short GUID does not belong to a share that the user can open.",
                hint: "Ask the owner of the share for an invitation and the current link.")
        case .participantNotVerified:
            Entry(
                .accessDenied, ck: .participantMayNeedVerification,
                "The share has pending invitations by email, but none for the user's verified address.",
                hint: "Sign in with the account to whose email address the invitation was sent.")
        case .participantMayRequest:
            Entry(
                .accessDenied, ck: .participantMayNeedVerification,
                "As `participant_not_verified`, but users may request access to the share.",
                hint: "Sign in with the account that was invited, or request access with shares.requestAccess.",
                web: "Sign in with the account that was invited, or request access with shares/requestAccess.")
        case .participantAlreadyInvited:
            Entry(
                .badRequest, ck: .participantAlreadyInvited,
                "The user requests access to a share, but an invitation to this share is waiting for the user.",
                hint: "Accept the share with records.accept.", web: "Accept the share with records/accept.")
        case .accessRequestRequired:
            Entry(
                .accessDenied, "The share is not shared with the user, but users may request access to it.",
                hint: "Request access with shares.requestAccess, and wait for an invitation.",
                web: "Request access with shares/requestAccess, and wait for an invitation.")
        case .accessRequestPending:
            Entry(
                .accessDenied, "The user has requested access to the share, and the request has not been answered.",
                hint: "Wait for an invitation.")
        case .tooManyRequesters:
            Entry(
                .badRequest, ck: .limitExceeded,
                "The limit on users who request access to a share, or who are blocked from it, has been reached.",
                hint:
                    "Wait until the owner of the share has answered the requests; the owner can deny them or unblock users."
            )
        case .parentCircular:
            Entry(
                .badRequest, "A record would be its own ancestor.",
                hint: "Choose a parent that is not below the record.")

        // Zones and change feeds.
        case .zoneNotFound:
            Entry(.zoneNotFound, "The zone does not exist.", hint: "Create the zone.")
        case .zonePurged:
            Entry(
                .zoneNotFound, ck: .userDeletedZone, retry: .no, "The user deleted the application's data.",
                hint: "Delete the local copy and do not upload it again.")
        case .zoneEncryptedDataReset:
            Entry(
                .zoneNotFound,
                "The keys of the zone's encrypted fields were reset (`encryptedDataReset` is true).",
                hint: "Delete the zone, create it again, and upload the local copy.")
        case .zoneBusy:
            Entry(
                .tryAgainLater, ck: .zoneBusy, retry: .later(seconds: 5),
                "The zone, or the schema of its environment, was locked for too long, or records are moving between shares of the zone, during which time no user gains access to a share, and participants wait with some moves.",
                hint: "Wait for the number of seconds in retryAfter; back off exponentially on repeated failures.")
        case .zoneNotModifiable:
            Entry(
                .badRequest, retry: .no, "The default zone cannot be created or deleted.",
                hint: "Use a custom zone.")
        case .zonesNotInDatabase:
            Entry(
                .badRequest, ck: .badDatabase, retry: .no, "Only private databases have custom zones.",
                hint: "Use the private database.")
        case .defaultZoneNotAtomic:
            Entry(
                .badRequest, "`compat`: `atomic` is set for the default zone.",
                hint: "Omit atomic, or use a custom zone.")
        case .defaultZoneHasNoChanges:
            Entry(
                .badRequest, retry: .no, "`compat`: the default zone has no change feed.", hint: "Use a custom zone.")
        case .changesNotInDatabase:
            Entry(
                .badRequest, ck: .badDatabase, retry: .no, "`compat`: the public database has no change feeds.",
                hint: "Use custom zones in the private database.")
        case .changeTokenExpired:
            Entry(
                .badRequest, ck: .changeTokenExpired, "The changes since the token was issued are no longer available.",
                hint: "Fetch from the beginning, without a token.")
        case .changeTokenForeign:
            Entry(
                .badRequest, "The token belongs to another zone or database.",
                hint: "Keep one token for each zone and for each database.")
        case .changeTokenInvalid:
            Entry(
                .badRequest, "This server did not issue the token.",
                hint: "Fetch from the beginning, without a token.")

        // Queries.
        case .recordTypeNotFound:
            Entry(
                .notFound, ck: .invalidArguments, retry: .no,
                "A query names a record type that does not exist, or a save names an invalid record type.",
                hint: "Save a record of the type, or deploy a schema that contains it.")
        case .fieldNotFound:
            Entry(
                .badRequest,
                "A query names a field that the record type does not have.",
                hint: "Use a field of the type. System fields have special names, such as ___recordID.")
        case .typeNotQueryable:
            Entry(
                .badRequest, retry: .no,
                "The record type `Users` cannot be queried.",
                hint: "Look up the records by name.")
        case .fieldNotQueryable:
            Entry(
                .badRequest,
                "`compat`: the filtered field has no QUERYABLE index.",
                hint: "Mark the field QUERYABLE in the schema.")
        case .fieldNotSortable:
            Entry(
                .badRequest,
                "`compat`: the field of a sort or a range has no SORTABLE index.",
                hint: "Mark the field SORTABLE in the schema.")
        case .fieldNotSearchable:
            Entry(
                .badRequest,
                "`compat`: no field has a SEARCHABLE index for the search.",
                hint: "Mark the field SEARCHABLE in the schema.")
        case .unknownComparator:
            Entry(
                .badRequest,
                "The `comparator` of a filter is unknown.",
                hint: "See queries.md for the comparators.")
        case .filterInvalid:
            Entry(
                .badRequest,
                "The parts of a filter do not match one another.",
                hint: "See queries.md for the requirements of each comparator.")
        case .notComparable:
            Entry(
                .badRequest,
                "The type of a field does not allow the comparison.",
                hint: "See queries.md for the comparisons that each type allows.")
        case .predicateNotSupported:
            Entry(
                .badRequest,
                "`compat`: CloudKit does not support the predicate, for example because it contains OR.",
                hint: "Use a predicate that CloudKit supports, or the profile 'extended'.")
        case .predicateTooLarge:
            Entry(
                .badRequest, ck: .limitExceeded,
                "The predicate has too many comparisons, levels, values or bytes.",
                hint: "Split the query, or save the result of the condition in a separate field.")
        case .regularExpressionInvalid:
            Entry(
                .badRequest,
                "The regular expression is invalid or uses an unsupported feature.",
                hint: "See queries.md for the supported regular expressions.")
        case .sortInvalid:
            Entry(
                .badRequest,
                "Values of the sort field's type cannot be sorted.",
                hint: "Sort by single numbers, strings, dates or references, or by distance from a location.")
        case .scanTooLarge:
            Entry(
                .badRequest, ck: .limitExceeded,
                "No index supports the query, and the queried zones contain too many records to scan.",
                hint: "Add an index to the field named in 'reason', or filter by an indexed field.")
        case .queryTooExpensive:
            Entry(
                .badRequest, ck: .limitExceeded,
                "The query exceeded its time limit.",
                hint: "Filter by an indexed field; records.explain shows what the query reads.")
        case .queryMarkerInvalid:
            Entry(
                .badRequest,
                "This server did not issue the `continuationMarker`, or it was modified.",
                hint: "Request the first page, without a marker.")
        case .queryMarkerForeign:
            Entry(
                .badRequest,
                "The `continuationMarker` belongs to another query.",
                hint: "Send the marker with the same query as for the previous page.")
        case .queryMarkerExpired:
            Entry(
                .badRequest,
                "The `continuationMarker` is older than 24 hours.",
                hint: "Request the first page, without a marker.")
        case .aggregateInvalid:
            Entry(
                .badRequest,
                "The aggregate cannot be computed for the field.",
                hint: "Use COUNT, MIN, MAX, SUM or AVG; SUM and AVG require numbers.")
        case .tooManyGroups:
            Entry(
                .badRequest, ck: .limitExceeded,
                "The aggregate has too many groups for one answer.",
                hint: "Narrow the query, or group by a field with fewer values.")

        // Assets.
        case .assetReceiptMissing:
            Entry(
                .badRequest,
                "A save refers to an asset without a receipt, and the field does not contain that asset.",
                hint: "Upload the file and save the dictionary that the upload returns.")
        case .assetReceiptInvalid:
            Entry(
                .badRequest, "This server did not issue the receipt.",
                hint: "Save the dictionary exactly as the upload returned it.")
        case .assetReceiptExpired:
            Entry(.badRequest, "The receipt has expired.", hint: "Upload the file again.")
        case .assetReceiptForeign:
            Entry(
                .badRequest, "The receipt belongs to an upload to another database.",
                hint: "Upload the file to the record's database.")
        case .assetReceiptMismatch:
            Entry(
                .badRequest, "The receipt does not belong to the content that the value names.",
                hint: "Save the dictionary exactly as the upload returned it.")
        case .assetBytesMissing:
            Entry(
                .badRequest, ck: .assetNotAvailable, "The uploaded content was deleted, although the receipt is valid.",
                hint: "Upload the file again.")
        case .assetFieldEmpty:
            Entry(
                .badRequest, "The field contains no asset.",
                hint: "Name a field that contains an asset.")
        case .assetTooLarge:
            Entry(
                .badRequest, ck: .limitExceeded, "The asset is too large. Over HTTP, the status is 413.",
                hint: "Split or reduce the file.")
        case .assetNotFound:
            Entry(
                .notFound, retry: .no, "The content does not exist or has been deleted.",
                hint: "Fetch the record again.")
        case .assetNotAvailable:
            Entry(
                .tryAgainLater, ck: .assetNotAvailable, retry: .later(seconds: 60),
                "The content's file cannot be read.",
                hint: "Wait for the number of seconds in retryAfter; if the error persists, inform the operator.")
        case .assetDamaged:
            Entry(
                .notFound, ck: .assetNotAvailable, retry: .no,
                "The content's file is missing or damaged. The records that refer to it are kept.",
                hint: "Upload the same file again, which repairs it for all records, or inform the operator.")
        case .assetQuotaExceeded:
            Entry(
                .quotaExceeded, "The upload would exceed the quota of the user or of the container.",
                hint:
                    "Delete unneeded assets. An asset counts until its receipt has expired and no record uses it.")
        case .assetStoreFull:
            Entry(
                .tryAgainLater, retry: .later(seconds: 60),
                "The asset store is full; downloads are still possible.",
                hint: "Wait for the number of seconds in retryAfter; if the error persists, inform the operator.")
        case .assetStoreInTrouble:
            Entry(
                .tryAgainLater, retry: .later(seconds: 10), "The asset store is unavailable.",
                hint: "Wait for the number of seconds in retryAfter; if the error persists, inform the operator.")
        case .tooManyAssets:
            Entry(
                .badRequest, ck: .limitExceeded, "The list contains too many assets.",
                hint: "Distribute the assets over several records.")
        case .checksumInvalid:
            Entry(
                .badRequest, "The checksum is invalid.", hint: "Use a fileChecksum or 64 hexadecimal digits.")
        case .uploadURLInvalid:
            Entry(
                .accessDenied, "This server did not issue the upload URL.",
                hint: "Request an upload URL with assets.upload.")
        case .uploadURLExpired:
            Entry(.accessDenied, "The upload URL has expired.", hint: "Request another upload URL with assets.upload.")
        case .uploadIncomplete:
            Entry(
                .badRequest, "The connection was closed before the body was complete.", hint: "Upload the file again.")
        case .uploadHeaderInvalid:
            Entry(
                .badRequest, "A header of a resumable upload, or a digest, is missing or invalid.",
                hint: "Correct the header named in 'field'.")
        case .uploadNotFound:
            Entry(
                .notFound, retry: .no, "The resumable upload does not exist: it was cancelled or not resumed in time.",
                hint: "Upload the file again from the beginning.")
        case .uploadOffsetMismatch:
            Entry(
                .conflict, "The offset does not match the position at which the upload stopped.",
                hint: "Continue from the offset in the Upload-Offset header.")
        case .uploadLengthMismatch:
            Entry(
                .badRequest, "The size of the upload differs from the announced size.",
                hint: "Upload the file again and announce its actual size.")
        case .uploadInUse:
            Entry(
                .tryAgainLater, retry: .later(seconds: 1), "Another request is sending data to the upload.",
                hint: "Wait for the number of seconds in retryAfter.")
        case .tooManyUploads:
            Entry(
                .tryAgainLater, retry: .later(seconds: 60), "Too many uploads are waiting to be resumed.",
                hint: "Upload the file in one request, or wait for the number of seconds in retryAfter.")
        case .checksumMismatch:
            Entry(
                .badRequest, "The uploaded content does not match the announced checksum.",
                hint: "Upload the file again; if the error persists, compute its checksum again.")
        case .downloadURLInvalid:
            Entry(
                .accessDenied, "This server did not issue the download URL.",
                hint: "Fetch the record, which contains a download URL.")
        case .downloadURLExpired:
            Entry(.accessDenied, "The download URL has expired.", hint: "Fetch the record again.")
        case .multipartBoundaryInvalid:
            Entry(
                .badRequest, "The boundary of the multipart body is invalid.", hint: "Correct the Content-Type header.")
        case .multipartMalformed:
            Entry(
                .badRequest, "The multipart body is malformed.",
                hint: "Correct the body, or send the file without multipart.")
        case .multipartWithoutFile:
            Entry(
                .badRequest, "No part of the multipart body has a file name.",
                hint: "Add a file name to the part that contains the file.")
        case .pathUnknown:
            Entry(
                .notFound, retry: .no, "The asset service does not serve this path.",
                hint: "Use upload and download URLs without changing them.")

        // Subscriptions.
        case .subscriptionNotFound:
            Entry(
                .notFound, retry: .no, "The subscription does not exist.", hint: "Create it, or delete the local copy.")
        case .subscriptionIDInvalid:
            Entry(
                .badRequest, "The `subscriptionID` is empty, is too long or contains control characters.",
                hint: "Use an ID of 1 to 255 bytes.")
        case .subscriptionTypeUnknown:
            Entry(.badRequest, "The `subscriptionType` is unknown.", hint: "Use 'query', 'zone' or 'database'.")
        case .firesOnUnknown:
            Entry(.badRequest, "An element of `firesOn` is unknown.", hint: "Use 'create', 'update' or 'delete'.")
        case .firesOnNothing:
            Entry(
                .badRequest, "The query subscription does not fire on any event.",
                hint: "Name at least one of 'create', 'update' and 'delete'.")
        case .tooManyDesiredKeys:
            Entry(
                .badRequest, "There are more than three `additionalFields`.",
                hint: "Name at most three, and fetch the record to read other fields.")
        case .zoneSubscriptionNotInDatabase:
            Entry(
                .badRequest, ck: .badDatabase, retry: .no,
                "The database does not support subscriptions of this kind.",
                hint:
                    "Use query subscriptions in public databases, and database subscriptions in shared databases.")
        case .defaultZoneNotWatchable:
            Entry(
                .badRequest, retry: .no, "The default zone does not support zone subscriptions.",
                hint: "Use a custom zone.")
        case .notificationInfoTooLong:
            Entry(
                .badRequest, ck: .limitExceeded, "The `notificationInfo` is too large.", hint: "Shorten its texts.")
        case .tooManySubscriptions:
            Entry(
                .badRequest, ck: .limitExceeded,
                "The limit on the user's subscriptions in the database has been reached.",
                hint: "Delete subscriptions that are no longer used.")
        case .tooManyUnselectiveSubscriptions:
            Entry(
                .badRequest, ck: .limitExceeded,
                "The limit on the user's public query subscriptions without an equality comparison has been reached.",
                hint: "Add an equality comparison on a field, joined by AND, or delete some of these subscriptions.")
        case .apnsEnvironmentInvalid:
            Entry(
                .badRequest, "The `apnsEnvironment` is unknown.", hint: "Use 'development' or 'production'.")
        case .apnsEnvironmentMismatch:
            Entry(
                .badRequest, "The `apnsToken` was issued for the other `apnsEnvironment`.",
                hint: "Use the apnsEnvironment from the tokens.create request.")
        case .apnsTokenInvalid:
            Entry(
                .badRequest, "This server did not issue the `apnsToken`, or it was modified.",
                hint: "Request a token with tokens.create.")
        case .apnsTokenNotRegistered:
            Entry(
                .notFound, ck: .unknownItem,
                "The user has not registered the `apnsToken` in the environment, or the registration has expired.",
                hint: "Register it with tokens.register.")
        case .clientIDInvalid:
            Entry(
                .badRequest, "The `clientId` is empty, is too long or contains control characters.",
                hint: "Use an ID of 1 to 255 bytes, or omit it.")
        case .tooManyClients:
            Entry(
                .badRequest, ck: .limitExceeded,
                "The limit on the user's registered clients in the environment has been reached.",
                hint: "Register an existing token again, or wait until other registrations expire.")
        case .clientQueueAway:
            Entry(
                .tryAgainLater, retry: .later(seconds: 2),
                "The client's queue could not be created or found before the deadline.",
                hint: "Wait for the number of seconds in retryAfter and send the same request again.")

        // Service failures.
        case .databaseAway:
            Entry(
                .tryAgainLater, retry: .later(seconds: 2),
                "The database was unavailable until the request's deadline.",
                hint: "Wait for the number of seconds in retryAfter and send the same request again.")
        case .notificationLogAway:
            Entry(
                .tryAgainLater, retry: .later(seconds: 2), "The notification log could not be read.",
                hint: "Wait for the number of seconds in retryAfter and send the same request again.")
        case .recordServiceAway:
            Entry(
                .tryAgainLater, retry: .later(seconds: 2),
                "The record service was unavailable until the request's deadline.",
                hint: "Wait for the number of seconds in retryAfter and send the same request again.")
        case .serviceEnding:
            Entry(
                .tryAgainLater, retry: .later(seconds: 2), "The service is stopping.",
                hint: "Wait for the number of seconds in retryAfter and retry; another instance may answer.")
        case .internalError:
            Entry(
                .internalError, retry: .no, "The service has failed.",
                hint: "Search the service's log for the requestID.")
        case .requestDeadLettered:
            Entry(
                .internalError, retry: .no, "The request was returned to its queue too many times.",
                hint: "Ask the operator to look for it in the dead-letters queue.")
        case .outcomeUnreadable:
            Entry(
                .internalError, retry: .no,
                "The stored outcome of a repeated request cannot be read, because another version wrote it.",
                hint: "The request was executed; fetch its records to see the result.")
        case .storedRecordDamaged:
            Entry(.internalError, retry: .no, "A stored record cannot be read.", hint: "Inform the operator.")
        case .storedFieldDamaged:
            Entry(
                .internalError, retry: .no, "A field of a stored record cannot be read.", hint: "Inform the operator.")
        case .schemaNotLearnt:
            Entry(
                .internalError, retry: .no, "The schema could not be extended with the types of a request.",
                hint: "Search the service's log for the requestID.")
        case .databaseNotMade:
            Entry(
                .internalError, retry: .no, "A user's database could not be created.",
                hint: "Search the service's log for the requestID.")
        case .zoneNotMade:
            Entry(
                .internalError, retry: .no, "A zone was deleted while it was being created.", hint: "Create it again.")
        case .changesLogFailed:
            Entry(
                .internalError, retry: .no, "A request to the record service for the change log failed.",
                hint: "Find the cause in the record service's log.")
        case .eventMalformed:
            Entry(
                .badRequest, retry: .no, "A change event, which only services send, is malformed.",
                hint: "Ask the operator to look for it in the dead-letters queue.")
        case .jobMalformed:
            Entry(
                .badRequest, retry: .no, "A deletion job, which only services send, is malformed.",
                hint: "Ask the operator to look for it in the dead-letters queue.")

        // The gateway.
        case .endpointUnknown:
            Entry(
                .notFound, retry: .no, "The gateway does not serve this path.",
                hint: "See openapi.yaml for the endpoints.")
        case .methodNotAllowed:
            Entry(
                .badRequest, "The endpoint does not support the HTTP method; the status is 405.",
                hint: "Use a method listed in the Allow header.")
        case .requestMalformed:
            Entry(
                .badRequest, "The request is not valid HTTP, or a header, parameter or encoding is invalid.",
                hint: "Correct the part named in 'field'.")
        case .serviceAway:
            Entry(
                .tryAgainLater, retry: .later(seconds: 2),
                "The service behind the endpoint did not answer within the gateway's request timeout.",
                hint:
                    "Wait for the number of seconds in retryAfter and repeat the request with the same Idempotency-Key."
            )
        case .tooBusy:
            Entry(
                .tryAgainLater, retry: .later(seconds: 1), "The gateway has reached its limit on concurrent requests.",
                hint: "Wait for the number of seconds in retryAfter and send the same request again.")
        case .credentialsMissing:
            Entry(
                .badRequest, ck: .notAuthenticated, "The HTTP request has neither an API token nor a signature.",
                hint: "Send ckAPIToken, or sign the request with a server-to-server key.")
        case .credentialsCombined:
            Entry(
                .badRequest, "The HTTP request has both a token and a signature.",
                hint: "Send either ckAPIToken and ckWebAuthToken, or the three signature headers.")
        case .apiTokenInvalid:
            Entry(
                .authenticationFailed,
                "The API token is unknown or revoked, or was issued for another container or environment.",
                hint: "Ask the operator to create an API token with 'zonda token create'.")
        case .originNotAllowed:
            Entry(
                .authenticationFailed, "The API token does not allow the page's origin.",
                hint: "Ask the operator to create an API token that allows the page's origin.")
        case .signatureInvalid:
            Entry(
                .authenticationFailed,
                "The server-to-server signature is invalid, has expired, or was made with an unknown key.",
                hint: "Search the gateway's log for the requestID.")
        case .serverKeyNotEnough:
            Entry(
                .authenticationFailed, retry: .no,
                "The operation requires a user; a server-to-server key is not sufficient.",
                hint: "Use the public database, or a user's web auth token.")
        case .endpointNotInDatabase:
            Entry(
                .badRequest, "The endpoint is not available in the database that the path names.",
                hint: "Use a database that openapi.yaml lists for the endpoint.")
        case .emailInvalid:
            Entry(.badRequest, "The email address is invalid.", hint: "Use an address of the form name@domain.")
        case .passwordInvalid:
            Entry(
                .badRequest, "The password is too short or too long.",
                hint: "Choose a password of the length that 'limit' allows.")
        case .accountNotFound:
            Entry(
                .notFound, "There is no account with this email address.", hint: "Create it with 'zonda user create'.")
        case .accountExists:
            Entry(
                .exists, retry: .no, "An account with this email address already exists.",
                hint: "Use the existing account, or another address.")
        case .userNameTaken:
            Entry(
                .exists, retry: .no, "Another account in the container already has this user record name.",
                hint: "Omit the name to have one generated.")
        case .originInvalid:
            Entry(
                .badRequest, "The web origin is invalid.",
                hint: "Use a scheme, a host and, if needed, a port, as in https://example.org.")
        case .callbackURLInvalid:
            Entry(
                .badRequest, "The callback URL is invalid.",
                hint: "Use an absolute URL without a fragment, with the scheme https, http, or the app's own.")
        case .publicKeyInvalid:
            Entry(
                .badRequest, "The public key is invalid or does not use P-256.",
                hint: "Use the PEM text that openssl ec -in key.pem -pubout prints.")
        case .tooManyPolls:
            Entry(
                .tryAgainLater, retry: .later(seconds: 5),
                "The client, or the gateway as a whole, has too many open polls and streams.",
                hint: "Keep at most one poll or stream open for each apnsToken.")
        case .producerNotAllowed:
            Entry(
                .accessDenied, retry: .no,
                "The broker user is not allowed to send the request, or the message does not name the user.",
                hint: "Set the user-id property; the operator's producers file lists what each user may do.")
        }
    }
}
