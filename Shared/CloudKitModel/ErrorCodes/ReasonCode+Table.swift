extension ReasonCode {
    /// The error's row in the table, the only place where errors are defined. A reason code without a row does not
    /// compile.
    package var entry: Entry {
        switch self {
        // The message and its body.
        case .headerMissing:
            Entry(.badRequest, "A header that the operation needs is absent.", hint: "Set the header named by field.")
        case .headerInvalid:
            Entry(
                .badRequest, "A header or property has a value that cannot be.",
                hint: "Correct the header named by field.")
        case .versionNotSupported:
            Entry(
                .badRequest, "`zonda-version` is not 1.", hint: "Leave zonda-version away, or ask for version 1.",
                web: "Use version 1, as in the path '/database/1/'.")
        case .messageIDRequired:
            Entry(
                .badRequest, "A write without `message-id`.",
                hint: "Give every write a message-id of its own, and the same one when it is repeated.",
                web: "Give every write an Idempotency-Key of its own, and the same one when it is repeated.")
        case .messageIDReused:
            Entry(
                .badRequest, "The `message-id` belongs to another request of the last 24 hours.",
                hint: "Take a new message-id for a new request.", web: "Use a new Idempotency-Key for a new request.")
        case .replyToNotAllowed:
            Entry(
                .badRequest, "A `reply-to` that could make a service publish where it pleases.",
                hint: "Use amq.rabbitmq.reply-to or a queue named 'reply.…', with a producers file 'reply.USER.…'.")
        case .containerInvalid:
            Entry(
                .badRequest, "The container's identifier is none.",
                hint: "A container is named by 1 to 255 visible ASCII characters.")
        case .containerNotFound:
            Entry(
                .notFound, ck: .badContainer, retry: .no, "There is no such container.",
                hint: "An operator makes containers: zonda container create.")
        case .environmentInvalid:
            Entry(
                .badRequest, "The environment is neither of the two.", hint: "Use 'development' or 'production'.")
        case .databaseInvalid:
            Entry(
                .badRequest, "The database is none of the three.", hint: "Use 'public', 'private' or 'shared'.")
        case .sharedDatabaseNotServed:
            Entry(
                .accessDenied, ck: .badDatabase, retry: .no, "The shared database is not served yet.",
                hint: "Use the private or the public database.")
        case .operationUnknown:
            Entry(
                .notFound, ck: .invalidArguments, retry: .no, "No service has such an operation.",
                hint: "asyncapi.yaml lists the operations and their exchanges.",
                web: "openapi.yaml lists the endpoints.")
        case .invalidJSON:
            Entry(
                .badRequest, "The body is not JSON, or not an object.",
                hint: "Actual is the byte at which it ends to be JSON.")
        case .missingKey:
            Entry(.badRequest, "A required key is absent or null.", hint: "Give the key named by field.")
        case .keyRepeated:
            Entry(.badRequest, "A dictionary has a key twice.", hint: "Give the key named by field once.")
        case .wrongKind:
            Entry(
                .badRequest, "A key has a value of another kind.",
                hint: "Give the key named by field the kind of value that the reason names.")
        case .unknownOperation:
            Entry(
                .badRequest, "An `operationType` that there is not.",
                hint: "asyncapi.yaml lists the operation types.", web: "openapi.yaml lists the operation types.")
        case .limitExceeded:
            Entry(
                .badRequest, ck: .limitExceeded, "More items, or a larger body, than one request may have.",
                hint: "Split the request in halves until each is within the limit.")

        // Authentication, permissions and rate limits.
        case .authenticationRequired:
            Entry(
                .authenticationRequired, retry: .no, "The request needs a user, and none is signed in.",
                hint: "Name the acting user.", web: "Sign the user in at redirectURL, and send ckWebAuthToken.")
        case .userNameInvalid:
            Entry(
                .badRequest, "The acting user's name is none.",
                hint: "A user is '_' and 32 lower-case hexadecimal digits.")
        case .accessDenied:
            Entry(
                .accessDenied, retry: .no, "The user may not do that.", hint: "Ask whoever administers the container.")
        case .zoneOfAnotherUser:
            Entry(
                .accessDenied, retry: .no, "The zone named belongs to another user.",
                hint: "Leave ownerRecordName away; zones of others are in the shared database.")
        case .throttled:
            Entry(
                .throttled, retry: .later(seconds: 1),
                "The container, user, API token or address sends more requests than it may.",
                hint: "Wait as long as retryAfter says, and put more operations into one request.")

        // Names.
        case .recordNameEmpty, .recordTypeEmpty, .fieldNameEmpty, .zoneNameEmpty:
            Entry(.badRequest, "An empty name.", hint: "Give the name.")
        case .recordNameTooLong, .recordTypeTooLong, .fieldNameTooLong, .zoneNameTooLong:
            Entry(.badRequest, "A name of more than 255 bytes of UTF-8.", hint: "Shorten the name.")
        case .recordNameHasControlCharacter, .zoneNameHasControlCharacter:
            Entry(.badRequest, "A name with a control character.", hint: "Take the character out of the name.")
        case .recordTypeInvalid, .fieldNameInvalid:
            Entry(
                .badRequest, "A name that is no identifier.",
                hint: "Begin with an ASCII letter and go on with letters, digits and '_'.")
        case .recordNameReserved, .recordTypeReserved, .fieldNameReserved, .zoneNameReserved:
            Entry(
                .badRequest, "A name that belongs to the system.",
                hint: "Choose a name that does not begin with '_' and is no system field's.")

        // Values and types.
        case .invalidValue:
            Entry(
                .badRequest, "A value that its own `type` does not fit.", hint: "Correct the value or its type.")
        case .unexpectedInput:
            Entry(
                .badRequest, "A value of no known shape.", hint: "asyncapi.yaml shows the shapes of values.",
                web: "openapi.yaml shows the shapes of values.")
        case .unknownType:
            Entry(
                .badRequest, "A `type` that there is not.", hint: "asyncapi.yaml lists the types of fields.",
                web: "openapi.yaml lists the types of fields.")
        case .unknownAction:
            Entry(
                .badRequest, "A reference's `action` that there is not.", hint: "Use NONE, DELETE_SELF or VALIDATE.")
        case .fieldRepeated:
            Entry(.badRequest, "A record has a field twice.", hint: "Give the field once.")
        case .mixedList:
            Entry(
                .badRequest, "A list whose elements are of several types.", hint: "Give a list elements of one type.")
        case .numberOutOfRange:
            Entry(
                .badRequest, "A number that DOUBLE cannot hold.", hint: "Give a number of at most 1.8e308.")
        case .locationOutOfRange:
            Entry(
                .badRequest, "A place that is not on the globe.",
                hint: "A latitude is from -90 to 90 degrees, a longitude from -180 to 180.")
        case .nulInString:
            Entry(
                .badRequest, "A string with the character NUL.", hint: "Take NUL out, or save the value as BYTES.")
        case .loneSurrogate:
            Entry(
                .badRequest, "A string with half of a surrogate pair.", hint: "Give both halves or neither.")
        case .fieldTypeMismatch:
            Entry(
                .badRequest, "A value of another type than the field has.",
                hint: "Save the type that the field has, or use another field.")
        case .emptyListNewField:
            Entry(
                .badRequest, "An empty list as the first value of a field, whose type it does not tell.",
                hint: "Give the value's type, or save an element first.")
        case .fieldNotDeployed:
            Entry(
                .badRequest, "A field that production does not have.",
                hint: "Save it in development, and deploy the schema.")
        case .typeNotDeployed:
            Entry(
                .badRequest, "A record type that production does not have.",
                hint: "Save one in development, and deploy the schema.")
        case .fieldNotEncrypted:
            Entry(
                .badRequest, "An encrypted value for a field that is not encrypted.",
                hint: "Save it without isEncrypted, or use another field.")
        case .typeNeverEncrypted:
            Entry(
                .badRequest, "A reference or an asset with `isEncrypted`.",
                hint: "Leave isEncrypted away: the service has to see references, and assets are encrypted anyway.")
        case .schemaInvalid:
            Entry(
                .badRequest,
                "A schema's text cannot be read, or says what cannot be; the error has `line` and `column`.",
                hint: "Correct the text where the error points; zonda schema validate checks it without a server.")
        case .schemaLosesData:
            Entry(
                .badRequest, "A schema lacks, or types otherwise, something that production has.",
                hint: "Export production's schema and add to it.")
        case .schemaTooLarge:
            Entry(
                .badRequest, ck: .limitExceeded,
                "A save would make more record types, or more fields of one, than a schema may have.",
                hint: "Keep what varies from record to record in values, not in names of fields.")
        case .roleNotFound:
            Entry(
                .notFound, ck: .invalidArguments, "The schema makes no such role.",
                hint: "CREATE ROLE in the schema, then import it.")
        case .encryptedInPublicDatabase:
            Entry(
                .badRequest, "An encrypted value in the public database.",
                hint: "Encrypted values belong into private databases.")

        // Records.
        case .recordNotFound:
            Entry(.notFound, retry: .no, "There is no such record.", hint: "Create it, or forget it.")
        case .recordExists:
            Entry(
                .conflict, "`create` met a record of that name, which is in `serverRecord`.",
                hint: "Update the record, or choose another name.")
        case .changeTagStale:
            Entry(
                .conflict, "The `recordChangeTag` is not the record's present one; the record is in `serverRecord`.",
                hint: "Merge your changes into serverRecord and save that, with its tag.")
        case .atomicFailure:
            Entry(
                .atomicError, "Nothing was saved, since another operation of the atomic request failed.",
                hint: "Repair the operations whose errors are not ATOMIC_ERROR, and send all again.")
        case .recordRepeated:
            Entry(
                .badRequest, "Two operations of a request name the same record.",
                hint: "Leave one of them, or send two requests.")
        case .recordTypeChanged:
            Entry(
                .badRequest, "A save that would change a record's type.",
                hint: "Save it with its type, or under another name.")
        case .recordTooLarge:
            Entry(
                .badRequest, ck: .limitExceeded, "A record of more bytes than it may have without its assets.",
                hint: "Shrink its largest field, or make it an asset.")
        case .replyTooLarge:
            Entry(
                .badRequest, ck: .limitExceeded, "There is no room for it in the reply.",
                hint: "Ask for it alone, for fewer of its fields, or for less at once.")
        case .referenceTargetMissing:
            Entry(
                .validatingReferenceError, "A parent, or the target of a reference, does not exist.",
                hint: "Save the target before, or in the same request.")
        case .recordStillReferenced:
            Entry(
                .validatingReferenceError,
                "A record to be deleted, or one that would go with it, is another's parent or validated target.",
                hint: "Delete the record that refers to it in the same request, or take its reference away.")
        case .referenceLeavesZone:
            Entry(
                .badRequest, "A reference names a record of another zone.",
                hint: "Refer to records of the same zone; keep other names in a string.")
        case .tooManyOwningReferences:
            Entry(
                .badRequest, ck: .limitExceeded, "A record has as many `DELETE_SELF` references to it as it may.",
                hint: "Spread what belongs to one record over several owners.")

        // Zones and change feeds.
        case .zoneNotFound:
            Entry(.zoneNotFound, "There is no such zone.", hint: "Create the zone.")
        case .zonePurged:
            Entry(
                .zoneNotFound, ck: .userDeletedZone, retry: .no, "The user removed the application's data.",
                hint: "Wipe the local copy, and do not upload it again.")
        case .zoneEncryptedDataReset:
            Entry(
                .zoneNotFound,
                "The keys of the zone's encrypted fields were reset; the error has `encryptedDataReset`.",
                hint: "Delete the zone, make it again, and upload the local copy.")
        case .zoneBusy:
            Entry(
                .tryAgainLater, ck: .zoneBusy, retry: .later(seconds: 5),
                "The zone, or the schema of its environment, was locked for longer than a request waits.",
                hint: "Wait as long as retryAfter says, and longer from time to time.")
        case .zoneNotModifiable:
            Entry(
                .badRequest, retry: .no, "The default zone can be neither created nor deleted.",
                hint: "Use a custom zone.")
        case .zonesNotInDatabase:
            Entry(
                .badRequest, ck: .badDatabase, retry: .no, "Zones are created and deleted in private databases.",
                hint: "Use the private database.")
        case .defaultZoneNotAtomic:
            Entry(
                .badRequest, "`compat`: `atomic` was set for the default zone.",
                hint: "Leave atomic away, or use a custom zone.")
        case .defaultZoneHasNoChanges:
            Entry(
                .badRequest, retry: .no, "`compat`: the default zone has no change feed.", hint: "Use a custom zone.")
        case .changesNotInDatabase:
            Entry(
                .badRequest, ck: .badDatabase, retry: .no, "`compat`: the public database has no change feeds.",
                hint: "Use custom zones of the private database.")
        case .changeTokenExpired:
            Entry(
                .badRequest, ck: .changeTokenExpired, "The history that the token needs is gone.",
                hint: "Fetch from the beginning, without a token.")
        case .changeTokenForeign:
            Entry(
                .badRequest, "The token belongs to another zone or database.",
                hint: "Keep a token for each zone and for each database.")
        case .changeTokenInvalid:
            Entry(
                .badRequest, "The token is not one that this server issued.",
                hint: "Fetch from the beginning, without a token.")

        // Queries.
        case .recordTypeNotFound:
            Entry(
                .notFound, ck: .invalidArguments, retry: .no,
                "A query or a save names a record type that does not exist; for a save, one that cannot exist.",
                hint: "Save a record of the type, or deploy the schema that has it.")
        case .fieldNotFound:
            Entry(
                .badRequest,
                "A query names a field that the record type does not have.",
                hint: "Name a field of the type; system fields have names of their own, such as ___recordID.")
        case .typeNotQueryable:
            Entry(
                .badRequest, retry: .no,
                "Records of a type that no query reaches: `Users`.",
                hint: "Look the records up by their names.")
        case .fieldNotQueryable:
            Entry(
                .badRequest,
                "`compat`: a filter on a field without the index QUERYABLE.",
                hint: "Mark the field QUERYABLE in the schema.")
        case .fieldNotSortable:
            Entry(
                .badRequest,
                "`compat`: a sort, or a range, on a field without the index SORTABLE.",
                hint: "Mark the field SORTABLE in the schema.")
        case .fieldNotSearchable:
            Entry(
                .badRequest,
                "`compat`: a search for words where no field has the index SEARCHABLE.",
                hint: "Mark the field SEARCHABLE in the schema.")
        case .unknownComparator:
            Entry(
                .badRequest,
                "A filter with a `comparator` that there is not.",
                hint: "queries.md lists the comparators.")
        case .filterInvalid:
            Entry(
                .badRequest,
                "A filter whose parts do not fit together.",
                hint: "queries.md says what each comparator needs.")
        case .notComparable:
            Entry(
                .badRequest,
                "A field is compared in a way that its type does not allow.",
                hint: "queries.md says what each type can be asked.")
        case .predicateNotSupported:
            Entry(
                .badRequest,
                "`compat`: a predicate that CloudKit refuses, such as one with OR.",
                hint: "Use what CloudKit can do, or the profile extended.")
        case .predicateTooLarge:
            Entry(
                .badRequest, ck: .limitExceeded,
                "A predicate with more comparisons, levels, values or bytes than one may have.",
                hint: "Split the query, or keep what it asks for in a field of its own.")
        case .regularExpressionInvalid:
            Entry(
                .badRequest,
                "A regular expression that cannot be read, or uses what there is not.",
                hint: "queries.md describes the regular expressions.")
        case .sortInvalid:
            Entry(
                .badRequest,
                "A sort by something that has no order.",
                hint: "Sort by single numbers, texts, moments or references, or by the distance of places.")
        case .scanTooLarge:
            Entry(
                .badRequest, ck: .limitExceeded,
                "No index serves the query, and its zones hold more records than may be read for one.",
                hint: "Give the field that the reason names an index, or narrow the query by one that has.")
        case .queryTooExpensive:
            Entry(
                .badRequest, ck: .limitExceeded,
                "The query was stopped: it ran for longer than one may.",
                hint: "Narrow it by a field with an index; records.explain shows what it reads.")
        case .queryMarkerInvalid:
            Entry(
                .badRequest,
                "A `continuationMarker` that this server did not issue, or that was changed.",
                hint: "Ask for the first page, without a marker.")
        case .queryMarkerForeign:
            Entry(
                .badRequest,
                "The `continuationMarker` belongs to another query.",
                hint: "Repeat the query of the page before, with its marker.")
        case .queryMarkerExpired:
            Entry(
                .badRequest,
                "The `continuationMarker` is older than 24 hours.",
                hint: "Ask for the first page, without a marker.")
        case .aggregateInvalid:
            Entry(
                .badRequest,
                "An aggregate of something that cannot be counted so.",
                hint: "Use COUNT, MIN, MAX, SUM or AVG, the last two of numbers.")
        case .tooManyGroups:
            Entry(
                .badRequest, ck: .limitExceeded,
                "An aggregate has more groups than one answer may have.",
                hint: "Narrow the query, or group by a field with fewer values.")

        // Assets.
        case .assetReceiptMissing:
            Entry(
                .badRequest,
                "A save names bytes without the receipt of their upload, and the field does not have them.",
                hint: "Upload the file, and save the dictionary that the upload answers.")
        case .assetReceiptInvalid:
            Entry(
                .badRequest, "The receipt is not one that this server issued.",
                hint: "Save the dictionary that the upload answers, as it is.")
        case .assetReceiptExpired:
            Entry(.badRequest, "The receipt was good once.", hint: "Upload the file again.")
        case .assetReceiptForeign:
            Entry(
                .badRequest, "The receipt is of an upload to another database.",
                hint: "Upload the file to the database of the record.")
        case .assetReceiptMismatch:
            Entry(
                .badRequest, "The receipt is of other bytes than the value names.",
                hint: "Save the dictionary that the upload answers, as it is.")
        case .assetBytesMissing:
            Entry(
                .badRequest, ck: .assetNotAvailable, "The uploaded bytes are gone, although the receipt is good.",
                hint: "Upload the file again.")
        case .assetFieldEmpty:
            Entry(
                .badRequest, "The field that was named has no asset.",
                hint: "Name a field of the record that holds an asset.")
        case .assetTooLarge:
            Entry(
                .badRequest, ck: .limitExceeded, "More bytes than an asset may have. Over HTTP its status is 413.",
                hint: "Split or shrink the file.")
        case .assetNotFound:
            Entry(.notFound, retry: .no, "There is no such content, or no more.", hint: "Fetch the record again.")
        case .assetNotAvailable:
            Entry(
                .tryAgainLater, ck: .assetNotAvailable, retry: .later(seconds: 60),
                "The content's file cannot be read.",
                hint: "Wait as long as retryAfter says; if it stays so, tell the operator.")
        case .assetDamaged:
            Entry(
                .notFound, ck: .assetNotAvailable, retry: .no,
                "The content's file was found to be lost or to have other bytes. The records that name it stay.",
                hint: "Upload the same file again, which brings it back for all records; else tell the operator.")
        case .assetQuotaExceeded:
            Entry(
                .quotaExceeded, "More bytes than the quota of the user or of the container allows.",
                hint: "Delete what is not needed: it counts until its last record and the upload's receipt are gone.")
        case .assetStoreFull:
            Entry(
                .tryAgainLater, retry: .later(seconds: 60),
                "The store of the assets has no room for uploads; downloads are served.",
                hint: "Wait as long as retryAfter says; if it stays so, tell the operator.")
        case .assetStoreInTrouble:
            Entry(
                .tryAgainLater, retry: .later(seconds: 10), "The store of the assets cannot be used.",
                hint: "Wait as long as retryAfter says; if it stays so, tell the operator.")
        case .tooManyAssets:
            Entry(
                .badRequest, ck: .limitExceeded, "A list of more assets than it may have.",
                hint: "Spread the assets over several records.")
        case .checksumInvalid:
            Entry(
                .badRequest, "A checksum is none.", hint: "Give a fileChecksum or 64 hexadecimal digits.")
        case .uploadURLInvalid:
            Entry(
                .accessDenied, "The upload URL is not one that this server issued.",
                hint: "Ask assets.upload for a URL.")
        case .uploadURLExpired:
            Entry(.accessDenied, "The upload URL was good once.", hint: "Ask assets.upload for another URL.")
        case .uploadIncomplete:
            Entry(.badRequest, "The connection ended before the body did.", hint: "Upload the file again.")
        case .uploadHeaderInvalid:
            Entry(
                .badRequest, "A header of a resumable upload, or a digest, is missing or cannot be read.",
                hint: "Correct the header that field names.")
        case .uploadNotFound:
            Entry(
                .notFound, retry: .no, "There is no such resumable upload: it was cancelled, or not resumed in time.",
                hint: "Upload the file again from its beginning.")
        case .uploadOffsetMismatch:
            Entry(
                .conflict, "An upload was to go on elsewhere than where it stopped.",
                hint: "Go on from the offset in the header Upload-Offset.")
        case .uploadLengthMismatch:
            Entry(
                .badRequest, "An upload has more or fewer bytes than were told.",
                hint: "Upload the file again, with its length.")
        case .uploadInUse:
            Entry(
                .tryAgainLater, retry: .later(seconds: 1), "Another request is sending to the same upload.",
                hint: "Wait as long as retryAfter says.")
        case .tooManyUploads:
            Entry(
                .tryAgainLater, retry: .later(seconds: 60), "Too many uploads are waiting to be resumed.",
                hint: "Upload the file in one request, or wait as long as retryAfter says.")
        case .checksumMismatch:
            Entry(
                .badRequest, "The bytes that came are not those of the checksum that was told.",
                hint: "Upload the file again; if it stays so, the file changed meanwhile.")
        case .downloadURLInvalid:
            Entry(
                .accessDenied, "The download URL is not one that this server issued.",
                hint: "Fetch the record, which has a URL.")
        case .downloadURLExpired:
            Entry(.accessDenied, "The download URL was good once.", hint: "Fetch the record again.")
        case .multipartBoundaryInvalid:
            Entry(
                .badRequest, "The multipart body's boundary is none.", hint: "Correct the header content-type.")
        case .multipartMalformed:
            Entry(
                .badRequest, "The multipart body is malformed.",
                hint: "Or send the bytes as they are, without multipart.")
        case .multipartWithoutFile:
            Entry(
                .badRequest, "No part of the multipart body is a file.", hint: "Give the file's part a file name.")
        case .pathUnknown:
            Entry(
                .notFound, retry: .no, "The asset service has no such path.",
                hint: "Use upload and download URLs as they came.")

        // Subscriptions.
        case .subscriptionNotFound:
            Entry(.notFound, retry: .no, "There is no subscription of that ID.", hint: "Create it, or forget it.")
        case .subscriptionIDInvalid:
            Entry(
                .badRequest, "A `subscriptionID` that is empty, too long or has control characters.",
                hint: "Give an ID of 1 to 255 bytes.")
        case .subscriptionTypeUnknown:
            Entry(.badRequest, "A `subscriptionType` that there is not.", hint: "Use 'query', 'zone' or 'database'.")
        case .firesOnUnknown:
            Entry(.badRequest, "An event that there is not.", hint: "Use 'create', 'update' and 'delete'.")
        case .firesOnNothing:
            Entry(
                .badRequest, "A query subscription that fires on nothing.",
                hint: "Name at least one of 'create', 'update' and 'delete'.")
        case .tooManyDesiredKeys:
            Entry(
                .badRequest, "More than three `additionalFields`.",
                hint: "Ask for three at most, and fetch the record for the others.")
        case .zoneSubscriptionNotInDatabase:
            Entry(
                .badRequest, ck: .badDatabase, retry: .no,
                "Zone and database subscriptions are the private database's.",
                hint: "Use a custom zone of the private database.")
        case .defaultZoneNotWatchable:
            Entry(.badRequest, retry: .no, "A subscription to the default zone.", hint: "Use a custom zone.")
        case .notificationInfoTooLong:
            Entry(
                .badRequest, ck: .limitExceeded, "A `notificationInfo` of too many bytes.", hint: "Shorten its texts.")
        case .tooManySubscriptions:
            Entry(
                .badRequest, ck: .limitExceeded, "The user has as many subscriptions in the database as there may be.",
                hint: "Delete some that are not used any more.")
        case .tooManyUnselectiveSubscriptions:
            Entry(
                .badRequest, ck: .limitExceeded,
                "The user has as many query subscriptions in the public database as there may be whose predicates demand no equality.",
                hint: "Demand that a field equals a value, alone or joined by AND, or delete some of them.")
        case .apnsEnvironmentInvalid:
            Entry(
                .badRequest, "The `apnsEnvironment` is neither of the two.", hint: "Use 'development' or 'production'.")
        case .apnsEnvironmentMismatch:
            Entry(
                .badRequest, "The `apnsToken` was made for the other `apnsEnvironment`.",
                hint: "Give the apnsEnvironment that tokens.create was given.")
        case .apnsTokenInvalid:
            Entry(
                .badRequest, "An `apnsToken` that this server did not issue, or that was changed.",
                hint: "Ask tokens.create for a token.")
        case .apnsTokenNotRegistered:
            Entry(
                .notFound, ck: .unknownItem,
                "The user has not registered the `apnsToken` in the environment, or the registration has expired.",
                hint: "Register it with tokens.register.")
        case .clientIDInvalid:
            Entry(
                .badRequest, "A `clientId` that is empty, too long or has control characters.",
                hint: "Give an ID of 1 to 255 bytes, or none.")
        case .tooManyClients:
            Entry(
                .badRequest, ck: .limitExceeded,
                "The user has as many registered clients in the environment as there may be.",
                hint: "Register a token that there is again, or wait until others expire.")
        case .clientQueueAway:
            Entry(
                .tryAgainLater, retry: .later(seconds: 2),
                "The queue of a client could not be made or looked at until the deadline.",
                hint: "Wait as long as retryAfter says, and send the same request again.")

        // Service failures.
        case .databaseAway:
            Entry(
                .tryAgainLater, retry: .later(seconds: 2),
                "The database could not be reached until the request's deadline.",
                hint: "Wait as long as retryAfter says, and send the same request again.")
        case .notificationLogAway:
            Entry(
                .tryAgainLater, retry: .later(seconds: 2), "The log of notifications could not be read.",
                hint: "Wait as long as retryAfter says, and send the same request again.")
        case .recordServiceAway:
            Entry(
                .tryAgainLater, retry: .later(seconds: 2),
                "The record service could not be reached until the deadline.",
                hint: "Wait as long as retryAfter says, and send the same request again.")
        case .serviceEnding:
            Entry(
                .tryAgainLater, retry: .later(seconds: 2), "The service is stopping.",
                hint: "Wait as long as retryAfter says: another instance may be there.")
        case .internalError:
            Entry(
                .internalError, retry: .no, "A fault of ours.", hint: "The service's log has it, under the requestID.")
        case .requestDeadLettered:
            Entry(
                .internalError, retry: .no, "The request came back to the queue too often, and was given up.",
                hint: "The operator finds it in the queue dead-letters.")
        case .outcomeUnreadable:
            Entry(
                .internalError, retry: .no, "A repeat, whose first outcome another version kept.",
                hint: "It was executed; fetch its records to see what became of them.")
        case .storedRecordDamaged:
            Entry(.internalError, retry: .no, "A stored record cannot be read.", hint: "Tell the operator.")
        case .storedFieldDamaged:
            Entry(.internalError, retry: .no, "A field of a stored record cannot be read.", hint: "Tell the operator.")
        case .schemaNotLearnt:
            Entry(
                .internalError, retry: .no, "The types of a request could not be learnt.",
                hint: "The service's log has it, under the requestID.")
        case .databaseNotMade:
            Entry(
                .internalError, retry: .no, "A user's database could not be made.",
                hint: "The service's log has it, under the requestID.")
        case .zoneNotMade:
            Entry(
                .internalError, retry: .no, "A zone was deleted while it was made.", hint: "Create it again.")
        case .changesLogFailed:
            Entry(
                .internalError, retry: .no, "Between services: the change log was not answered.",
                hint: "The record service's log has it.")
        case .eventMalformed:
            Entry(
                .badRequest, retry: .no, "Between services: a change event cannot be read.",
                hint: "The operator finds it in the queue dead-letters.")
        case .jobMalformed:
            Entry(
                .badRequest, retry: .no, "Between services: a deletion job cannot be read.",
                hint: "The operator finds it in the queue dead-letters.")

        // The gateway.
        case .endpointUnknown:
            Entry(.notFound, retry: .no, "The gateway has no such path.", hint: "openapi.yaml lists the endpoints.")
        case .methodNotAllowed:
            Entry(
                .badRequest, "The endpoint is not asked by that method; the status is 405.",
                hint: "Use a method that the header Allow names.")
        case .requestMalformed:
            Entry(
                .badRequest, "Not HTTP, or a header, parameter or encoding that cannot be.",
                hint: "Correct what field names.")
        case .sharingNotServed:
            Entry(
                .accessDenied, retry: .no, "Shares are not served yet.", hint: "Use the private or the public database."
            )
        case .serviceAway:
            Entry(
                .tryAgainLater, retry: .later(seconds: 2),
                "The service that answers the endpoint did not do so within the gateway's request time.",
                hint: "Wait as long as retryAfter says, and send the same request again, with the same Idempotency-Key."
            )
        case .tooBusy:
            Entry(
                .tryAgainLater, retry: .later(seconds: 1), "The gateway answers as many requests as it may at once.",
                hint: "Wait as long as retryAfter says, and send the same request again.")
        case .credentialsMissing:
            Entry(
                .badRequest, ck: .notAuthenticated, "A request over HTTP without API token and without signature.",
                hint: "Give ckAPIToken, or sign the request with a server-to-server key.")
        case .credentialsCombined:
            Entry(
                .badRequest, "A request over HTTP with a token and a signature.",
                hint: "Give either ckAPIToken and ckWebAuthToken, or the three signature headers.")
        case .apiTokenInvalid:
            Entry(
                .authenticationFailed,
                "The API token is unknown or revoked, or another container's or environment's.",
                hint: "An operator makes API tokens: zonda token create.")
        case .originNotAllowed:
            Entry(
                .authenticationFailed, "The API token may not be used by pages of that origin.",
                hint: "An operator makes an API token that names the page's origin.")
        case .signatureInvalid:
            Entry(
                .authenticationFailed,
                "A server-to-server signature that does not verify, of an unknown key, or of another time.",
                hint: "The gateway's log tells why, under the requestID.")
        case .serverKeyNotEnough:
            Entry(
                .authenticationFailed, retry: .no, "What a server-to-server key may not do: only users may.",
                hint: "Use the public database, or a user's web auth token.")
        case .endpointNotInDatabase:
            Entry(
                .badRequest, "The endpoint is not one of the database that the path names.",
                hint: "Ask in the database that openapi.yaml gives for the endpoint.")
        case .emailInvalid:
            Entry(.badRequest, "An e-mail address that is none.", hint: "Give an address of the form name@domain.")
        case .passwordInvalid:
            Entry(
                .badRequest, "A password that is too short or too long.", hint: "Take another, as long as limit says.")
        case .accountNotFound:
            Entry(.notFound, "There is no account of that e-mail address.", hint: "Create it: zonda user create.")
        case .accountExists:
            Entry(
                .exists, retry: .no, "There is an account of that e-mail address already.",
                hint: "Use the account that there is, or another address.")
        case .userNameTaken:
            Entry(
                .exists, retry: .no, "The container knows another account by that user record name.",
                hint: "Leave the name away, and one is made.")
        case .originInvalid:
            Entry(
                .badRequest, "A web origin that is none.", hint: "Give scheme, host and port: https://example.org.")
        case .callbackURLInvalid:
            Entry(
                .badRequest, "A callback URL to which no page can be sent.",
                hint: "Give an absolute URL without a fragment: https, http, or a scheme of the app's own.")
        case .publicKeyInvalid:
            Entry(
                .badRequest, "A public key that is none, or not one of P-256.",
                hint: "Give the PEM that openssl ec -in key.pem -pubout prints.")
        case .tooManyPolls:
            Entry(
                .tryAgainLater, retry: .later(seconds: 5),
                "More polls and streams of notifications are open than may be, of the client or in all.",
                hint: "Keep one poll or stream for each apnsToken.")
        case .producerNotAllowed:
            Entry(
                .accessDenied, retry: .no, "The broker's user may not ask that, or the message does not name it.",
                hint: "Set the property user-id; the operator's producers file says what each user may.")
        }
    }
}
