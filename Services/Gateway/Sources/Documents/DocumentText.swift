// swift-format-ignore-file
// Written by `Tests/Contract/check openapi_page` from deploy/docs/openapi.yaml.

/// The OpenAPI document, and the page that shows it.
enum DocumentText {
    static let openAPI: StaticString = ##"""
openapi: 3.1.0
info:
  title: Zonda's gateway
  version: 1.0.0
  license: {name: Apache License 2.0, identifier: Apache-2.0}
  description: |
    CloudKit Web Services, served by Zonda. Clients that are written for them work here when they are given another host.

    **Who asks** is told by parameters of the URL: `ckAPIToken`, which an operator makes for a container's environment
    (`zonda token create`), and `ckWebAuthToken`, which a user gets by signing in. Whoever asks for what needs a user
    is answered 421 with `redirectURL`, the address of the sign-in page, and every answer to a user who is signed in
    carries the next token in `X-Apple-CloudKit-Web-Auth-Token`. Servers sign their requests with a key instead
    (`zonda key add`), which is good for the public database.

    **Errors** of a whole request have a status and a body with `serverErrorCode`; those of single items stand in the
    items' places in an answer with status 200.

    **Leniency.** Bodies are JSON whatever `Content-Type` says. Where an array of dictionaries is asked for, one
    dictionary stands for an array of one; null is the same as absence; keys that are not known are ignored.

    **Open and closed.** Schemas are closed (`additionalProperties: false`) where Zonda answers and open where you ask.
    Those that have a name in `asyncapi.yaml` too are the same there: the gateway hands bodies through. `Tests/Contract`
    holds this document against real answers.
servers:
  - url: '{gateway}'
    description: Where the gateway is reached, `ZONDA_URL`.
    variables: {gateway: {default: 'http://127.0.0.1:8080'}}
tags:
  - {name: records, description: 'Saving, fetching and finding.'}
  - {name: changes, description: What changed since a token.}
  - {name: zones, description: The parts of a database that change together.}
  - {name: assets, description: Files in records.}
  - {name: subscriptions, description: What users are notified of.}
  - {name: clients, description: Where notifications arrive.}
  - {name: users, description: Who the caller and others are.}
  - {name: sharing, description: Not served yet.}
  - {name: pages, description: For people.}
paths:
  # Records.
  /database/1/{container}/{environment}/{database}/records/query:
    parameters:
      - {$ref: '#/components/parameters/container'}
      - {$ref: '#/components/parameters/environment'}
      - {$ref: '#/components/parameters/database'}
      - {$ref: '#/components/parameters/clientID'}
      - {$ref: '#/components/parameters/currentSyncToken'}
    post:
      operationId: queryRecords
      tags: [records]
      summary: Finds records by their fields; a page of them.
      description: >-
        The whole query is repeated with the marker of the page before.
      security: [{apiToken: []}, {apiToken: [], webAuthToken: []}, {keyID: [], keyDate: [], keySignature: []}]
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/QueryRecordsRequest'}
            example:
              query:
                recordType: Note
                filterBy: [{fieldName: folder, comparator: EQUALS, fieldValue: {value: inbox, type: STRING}}]
                sortBy: [{systemFieldName: modifiedTimestamp, ascending: false}]
              resultsLimit: 20
      responses:
        '200':
          description: A page.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/NextToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/QueryRecordsAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '405': {$ref: '#/components/responses/MethodNotAllowed'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '421': {$ref: '#/components/responses/SignInNeeded'}
        '429': {$ref: '#/components/responses/Throttled'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /database/1/{container}/{environment}/{database}/records/lookup:
    parameters:
      - {$ref: '#/components/parameters/container'}
      - {$ref: '#/components/parameters/environment'}
      - {$ref: '#/components/parameters/database'}
      - {$ref: '#/components/parameters/clientID'}
      - {$ref: '#/components/parameters/currentSyncToken'}
    post:
      operationId: lookupRecords
      tags: [records]
      summary: Fetches records by name.
      description: >-
        A missing record is an item with an error.
      security: [{apiToken: []}, {apiToken: [], webAuthToken: []}, {keyID: [], keyDate: [], keySignature: []}]
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/LookupRecordsRequest'}
            example:
              records: [{recordName: n-0007}]
      responses:
        '200':
          description: One item for each record asked for, in that order.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/NextToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/LookupRecordsAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '405': {$ref: '#/components/responses/MethodNotAllowed'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '421': {$ref: '#/components/responses/SignInNeeded'}
        '429': {$ref: '#/components/responses/Throttled'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /database/1/{container}/{environment}/{database}/records/modify:
    parameters:
      - {$ref: '#/components/parameters/container'}
      - {$ref: '#/components/parameters/environment'}
      - {$ref: '#/components/parameters/database'}
      - {$ref: '#/components/parameters/clientID'}
      - {$ref: '#/components/parameters/currentSyncToken'}
      - {$ref: '#/components/parameters/idempotencyKey'}
    post:
      operationId: modifyRecords
      tags: [records]
      summary: Creates, changes and deletes records of one zone.
      description: >-
        In a custom zone all or nothing, unless `atomic` is false; in the default zone each operation by itself.
      security: [{apiToken: []}, {apiToken: [], webAuthToken: []}, {keyID: [], keyDate: [], keySignature: []}]
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/ModifyRecordsRequest'}
            example:
              operations:
                - operationType: create
                  record: {recordType: Note, recordName: n-0007, fields: {title: {value: Milk}}}
      responses:
        '200':
          description: One item for each operation, in that order.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/NextToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/ModifyRecordsAnswer'}
        '400': {$ref: '#/components/responses/BadRequestOrAtomicFailure'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '405': {$ref: '#/components/responses/MethodNotAllowed'}
        '409': {$ref: '#/components/responses/Conflict'}
        '412': {$ref: '#/components/responses/ReferenceViolation'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '421': {$ref: '#/components/responses/SignInNeeded'}
        '429': {$ref: '#/components/responses/Throttled'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /database/1/{container}/{environment}/{database}/records/changes:
    parameters:
      - {$ref: '#/components/parameters/container'}
      - {$ref: '#/components/parameters/environment'}
      - {$ref: '#/components/parameters/ownDatabase'}
      - {$ref: '#/components/parameters/clientID'}
    post:
      operationId: recordChanges
      tags: [records]
      summary: A page of one zone's change feed; the older form of `changes/zone`.
      deprecated: true
      security: [{apiToken: [], webAuthToken: []}]
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/RecordChangesRequest'}
            example:
              zoneID: {zoneName: Drafts}
      responses:
        '200':
          description: A page.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/NextToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/RecordChangesAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '405': {$ref: '#/components/responses/MethodNotAllowed'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '421': {$ref: '#/components/responses/SignInNeeded'}
        '429': {$ref: '#/components/responses/Throttled'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /database/1/{container}/{environment}/{database}/records/resolve:
    parameters:
      - {$ref: '#/components/parameters/container'}
      - {$ref: '#/components/parameters/environment'}
      - {$ref: '#/components/parameters/publicDatabase'}
      - {$ref: '#/components/parameters/clientID'}
    post:
      operationId: resolveShares
      tags: [sharing]
      summary: What a share link leads to.
      description: >-
        Sharing is not served yet: the answer is an error.
      security: [{apiToken: [], webAuthToken: []}]
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/ShortGUIDsRequest'}
            example:
              shortGUIDs: [{value: 0a1BcDeFgHiJkLmNoPqRsTuVw}]
      responses:
        '200':
          description: One result for each link.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/NextToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/ShortGUIDsAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '405': {$ref: '#/components/responses/MethodNotAllowed'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '421': {$ref: '#/components/responses/SignInNeeded'}
        '429': {$ref: '#/components/responses/Throttled'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /database/1/{container}/{environment}/{database}/records/accept:
    parameters:
      - {$ref: '#/components/parameters/container'}
      - {$ref: '#/components/parameters/environment'}
      - {$ref: '#/components/parameters/publicDatabase'}
      - {$ref: '#/components/parameters/clientID'}
      - {$ref: '#/components/parameters/idempotencyKey'}
    post:
      operationId: acceptShares
      tags: [sharing]
      summary: Takes part in a share.
      description: >-
        Sharing is not served yet: the answer is an error.
      security: [{apiToken: [], webAuthToken: []}]
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/ShortGUIDsRequest'}
            example:
              shortGUIDs: [{value: 0a1BcDeFgHiJkLmNoPqRsTuVw}]
      responses:
        '200':
          description: One result for each link.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/NextToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/ShortGUIDsAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '405': {$ref: '#/components/responses/MethodNotAllowed'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '421': {$ref: '#/components/responses/SignInNeeded'}
        '429': {$ref: '#/components/responses/Throttled'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}

  # Zones and feeds.
  /database/1/{container}/{environment}/{database}/changes/database:
    parameters:
      - {$ref: '#/components/parameters/container'}
      - {$ref: '#/components/parameters/environment'}
      - {$ref: '#/components/parameters/ownDatabase'}
      - {$ref: '#/components/parameters/clientID'}
    post:
      operationId: databaseChanges
      tags: [changes]
      summary: The zones that changed, were made or were deleted since a token.
      security: [{apiToken: [], webAuthToken: []}]
      requestBody:
        required: false
        content:
          application/json:
            schema: {$ref: '#/components/schemas/DatabaseChangesRequest'}
            example:
              {}
      responses:
        '200':
          description: A page.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/NextToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/DatabaseChangesAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '405': {$ref: '#/components/responses/MethodNotAllowed'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '421': {$ref: '#/components/responses/SignInNeeded'}
        '429': {$ref: '#/components/responses/Throttled'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /database/1/{container}/{environment}/{database}/changes/zone:
    parameters:
      - {$ref: '#/components/parameters/container'}
      - {$ref: '#/components/parameters/environment'}
      - {$ref: '#/components/parameters/ownDatabase'}
      - {$ref: '#/components/parameters/clientID'}
    post:
      operationId: zoneChanges
      tags: [changes]
      summary: A page of the change feed of each of several zones.
      description: >-
        Every record once, in its newest state.
      security: [{apiToken: [], webAuthToken: []}]
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/ZoneChangesRequest'}
            example:
              zones: [{zoneID: {zoneName: Drafts}}]
      responses:
        '200':
          description: One page or error for each zone, in that order.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/NextToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/ZoneChangesAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '405': {$ref: '#/components/responses/MethodNotAllowed'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '421': {$ref: '#/components/responses/SignInNeeded'}
        '429': {$ref: '#/components/responses/Throttled'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /database/1/{container}/{environment}/{database}/zones/list:
    parameters:
      - {$ref: '#/components/parameters/container'}
      - {$ref: '#/components/parameters/environment'}
      - {$ref: '#/components/parameters/database'}
      - {$ref: '#/components/parameters/clientID'}
    get:
      operationId: listZones
      tags: [zones]
      summary: All zones of the database.
      security: [{apiToken: [], webAuthToken: []}, {keyID: [], keyDate: [], keySignature: []}]
      responses:
        '200':
          description: The zones.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/NextToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/ListZonesAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '405': {$ref: '#/components/responses/MethodNotAllowed'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '421': {$ref: '#/components/responses/SignInNeeded'}
        '429': {$ref: '#/components/responses/Throttled'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
    post:
      operationId: listZonesByPost
      tags: [zones]
      summary: All zones of the database.
      description: >-
        The same as `GET`.
      security: [{apiToken: [], webAuthToken: []}, {keyID: [], keyDate: [], keySignature: []}]
      requestBody:
        required: false
        content:
          application/json:
            schema: {$ref: '#/components/schemas/EmptyRequest'}
            example:
              {}
      responses:
        '200':
          description: The zones.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/NextToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/ListZonesAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '405': {$ref: '#/components/responses/MethodNotAllowed'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '421': {$ref: '#/components/responses/SignInNeeded'}
        '429': {$ref: '#/components/responses/Throttled'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /database/1/{container}/{environment}/{database}/zones/lookup:
    parameters:
      - {$ref: '#/components/parameters/container'}
      - {$ref: '#/components/parameters/environment'}
      - {$ref: '#/components/parameters/database'}
      - {$ref: '#/components/parameters/clientID'}
    post:
      operationId: lookupZones
      tags: [zones]
      summary: Zones by name.
      security: [{apiToken: [], webAuthToken: []}, {keyID: [], keyDate: [], keySignature: []}]
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/LookupZonesRequest'}
            example:
              zones: [{zoneName: Drafts}]
      responses:
        '200':
          description: One item for each zone asked for, in that order.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/NextToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/LookupZonesAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '405': {$ref: '#/components/responses/MethodNotAllowed'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '421': {$ref: '#/components/responses/SignInNeeded'}
        '429': {$ref: '#/components/responses/Throttled'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /database/1/{container}/{environment}/{database}/zones/modify:
    parameters:
      - {$ref: '#/components/parameters/container'}
      - {$ref: '#/components/parameters/environment'}
      - {$ref: '#/components/parameters/database'}
      - {$ref: '#/components/parameters/clientID'}
      - {$ref: '#/components/parameters/idempotencyKey'}
    post:
      operationId: modifyZones
      tags: [zones]
      summary: Creates and deletes zones of a private database.
      security: [{apiToken: [], webAuthToken: []}, {keyID: [], keyDate: [], keySignature: []}]
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/ModifyZonesRequest'}
            example:
              operations: [{operationType: create, zone: {zoneID: {zoneName: Drafts}}}]
      responses:
        '200':
          description: One item for each operation, in that order.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/NextToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/ModifyZonesAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '405': {$ref: '#/components/responses/MethodNotAllowed'}
        '409': {$ref: '#/components/responses/Conflict'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '421': {$ref: '#/components/responses/SignInNeeded'}
        '429': {$ref: '#/components/responses/Throttled'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /database/1/{container}/{environment}/{database}/zones/changes:
    parameters:
      - {$ref: '#/components/parameters/container'}
      - {$ref: '#/components/parameters/environment'}
      - {$ref: '#/components/parameters/ownDatabase'}
      - {$ref: '#/components/parameters/clientID'}
    post:
      operationId: zonesChanges
      tags: [zones]
      summary: The older form of `changes/database`, with its own name for the token.
      deprecated: true
      security: [{apiToken: [], webAuthToken: []}]
      requestBody:
        required: false
        content:
          application/json:
            schema: {$ref: '#/components/schemas/ZonesChangesRequest'}
            example:
              {}
      responses:
        '200':
          description: A page.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/NextToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/ZonesChangesAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '405': {$ref: '#/components/responses/MethodNotAllowed'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '421': {$ref: '#/components/responses/SignInNeeded'}
        '429': {$ref: '#/components/responses/Throttled'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}

  # Assets. The bytes go to the addresses in the answer, and come from those in records.
  /database/1/{container}/{environment}/{database}/assets/upload:
    parameters:
      - {$ref: '#/components/parameters/container'}
      - {$ref: '#/components/parameters/environment'}
      - {$ref: '#/components/parameters/database'}
      - {$ref: '#/components/parameters/clientID'}
      - {$ref: '#/components/parameters/idempotencyKey'}
    post:
      operationId: uploadAssets
      tags: [assets]
      summary: Addresses to which the bytes of assets go.
      security: [{apiToken: [], webAuthToken: []}, {keyID: [], keyDate: [], keySignature: []}]
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/UploadAssetsRequest'}
            example:
              tokens: [{recordType: Note, fieldName: photo}]
      responses:
        '200':
          description: One address for each token, in that order.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/NextToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/UploadAssetsAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '405': {$ref: '#/components/responses/MethodNotAllowed'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '421': {$ref: '#/components/responses/SignInNeeded'}
        '429': {$ref: '#/components/responses/Throttled'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /database/1/{container}/{environment}/{database}/assets/rereference:
    parameters:
      - {$ref: '#/components/parameters/container'}
      - {$ref: '#/components/parameters/environment'}
      - {$ref: '#/components/parameters/database'}
      - {$ref: '#/components/parameters/clientID'}
    post:
      operationId: rereferenceAssets
      tags: [assets]
      summary: Assets of existing records, to be saved in other records too.
      security: [{apiToken: [], webAuthToken: []}, {keyID: [], keyDate: [], keySignature: []}]
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/AssetsRereferenceRequest'}
            example:
              assets: [{recordName: n-0007, fieldName: photo}]
      responses:
        '200':
          description: One asset for each field, in that order.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/NextToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/AssetsRereferenceAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '405': {$ref: '#/components/responses/MethodNotAllowed'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '421': {$ref: '#/components/responses/SignInNeeded'}
        '429': {$ref: '#/components/responses/Throttled'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}

  # Subscriptions and clients.
  /database/1/{container}/{environment}/{database}/subscriptions/list:
    parameters:
      - {$ref: '#/components/parameters/container'}
      - {$ref: '#/components/parameters/environment'}
      - {$ref: '#/components/parameters/database'}
      - {$ref: '#/components/parameters/clientID'}
    get:
      operationId: listSubscriptions
      tags: [subscriptions]
      summary: All subscriptions of the user in the database.
      security: [{apiToken: [], webAuthToken: []}, {keyID: [], keyDate: [], keySignature: []}]
      responses:
        '200':
          description: The subscriptions.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/NextToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/ListSubscriptionsAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '405': {$ref: '#/components/responses/MethodNotAllowed'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '421': {$ref: '#/components/responses/SignInNeeded'}
        '429': {$ref: '#/components/responses/Throttled'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
    post:
      operationId: listSubscriptionsByPost
      tags: [subscriptions]
      summary: All subscriptions of the user in the database.
      description: >-
        The same as `GET`.
      security: [{apiToken: [], webAuthToken: []}, {keyID: [], keyDate: [], keySignature: []}]
      requestBody:
        required: false
        content:
          application/json:
            schema: {$ref: '#/components/schemas/EmptyRequest'}
            example:
              {}
      responses:
        '200':
          description: The subscriptions.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/NextToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/ListSubscriptionsAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '405': {$ref: '#/components/responses/MethodNotAllowed'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '421': {$ref: '#/components/responses/SignInNeeded'}
        '429': {$ref: '#/components/responses/Throttled'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /database/1/{container}/{environment}/{database}/subscriptions/lookup:
    parameters:
      - {$ref: '#/components/parameters/container'}
      - {$ref: '#/components/parameters/environment'}
      - {$ref: '#/components/parameters/database'}
      - {$ref: '#/components/parameters/clientID'}
    post:
      operationId: lookupSubscriptions
      tags: [subscriptions]
      summary: Subscriptions by their IDs.
      security: [{apiToken: [], webAuthToken: []}, {keyID: [], keyDate: [], keySignature: []}]
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/LookupSubscriptionsRequest'}
            example:
              subscriptions: [{subscriptionID: inbox-watch}]
      responses:
        '200':
          description: One item for each, in that order.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/NextToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/LookupSubscriptionsAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '405': {$ref: '#/components/responses/MethodNotAllowed'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '421': {$ref: '#/components/responses/SignInNeeded'}
        '429': {$ref: '#/components/responses/Throttled'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /database/1/{container}/{environment}/{database}/subscriptions/modify:
    parameters:
      - {$ref: '#/components/parameters/container'}
      - {$ref: '#/components/parameters/environment'}
      - {$ref: '#/components/parameters/database'}
      - {$ref: '#/components/parameters/clientID'}
      - {$ref: '#/components/parameters/idempotencyKey'}
    post:
      operationId: modifySubscriptions
      tags: [subscriptions]
      summary: Saves and deletes subscriptions.
      security: [{apiToken: [], webAuthToken: []}, {keyID: [], keyDate: [], keySignature: []}]
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/ModifySubscriptionsRequest'}
            example:
              operations:
                - operationType: create
                  subscription:
                    subscriptionID: inbox-watch
                    subscriptionType: query
                    query: {recordType: Note}
                    firesOn: [create, update]
                    notificationInfo: {alertBody: Inbox changed}
      responses:
        '200':
          description: One item for each operation, in that order.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/NextToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/ModifySubscriptionsAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '405': {$ref: '#/components/responses/MethodNotAllowed'}
        '409': {$ref: '#/components/responses/Conflict'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '421': {$ref: '#/components/responses/SignInNeeded'}
        '429': {$ref: '#/components/responses/Throttled'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /device/1/{container}/{environment}/tokens/create:
    parameters:
      - {$ref: '#/components/parameters/container'}
      - {$ref: '#/components/parameters/environment'}
      - {$ref: '#/components/parameters/clientID'}
      - {$ref: '#/components/parameters/idempotencyKey'}
    post:
      operationId: createToken
      tags: [clients]
      summary: Makes a token, and registers the client with it.
      description: >-
        Also under `/database/1/{container}/{environment}/{database}/tokens/create`, with and without the database.
      security: [{apiToken: [], webAuthToken: []}, {keyID: [], keyDate: [], keySignature: []}]
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/ClientRequest'}
            example:
              apnsEnvironment: development
      responses:
        '200':
          description: The token, and where to poll.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/NextToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/ClientAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '405': {$ref: '#/components/responses/MethodNotAllowed'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '421': {$ref: '#/components/responses/SignInNeeded'}
        '429': {$ref: '#/components/responses/Throttled'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /device/1/{container}/{environment}/tokens/register:
    parameters:
      - {$ref: '#/components/parameters/container'}
      - {$ref: '#/components/parameters/environment'}
      - {$ref: '#/components/parameters/clientID'}
      - {$ref: '#/components/parameters/idempotencyKey'}
    post:
      operationId: registerToken
      tags: [clients]
      summary: Registers a token in one more container or environment, or once more, which renews it.
      description: >-
        Also under `/database/…`, as `tokens/create`.
      security: [{apiToken: [], webAuthToken: []}, {keyID: [], keyDate: [], keySignature: []}]
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/RegisterClientRequest'}
            example:
              apnsEnvironment: development
              apnsToken: q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=
      responses:
        '200':
          description: The token, and where to poll.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/NextToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/ClientAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '405': {$ref: '#/components/responses/MethodNotAllowed'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '421': {$ref: '#/components/responses/SignInNeeded'}
        '429': {$ref: '#/components/responses/Throttled'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /courier:
    get:
      operationId: awaitNotification
      tags: [clients]
      summary: The next notification of a registered client.
      description: >-
        The request is held until there is one; `null` says that there was none for a while. With `Accept:
        text/event-stream` the connection stays, and each notification is an event whose `data` is the same object.
        The address is that of `webcourierURL`, as it is.
      security: []
      parameters:
        - name: tok
          in: query
          required: true
          description: The client's token, in the alphabet of URLs.
          schema: {type: string}
        - name: ttl
          in: query
          description: As in `webcourierURL`; ignored.
          schema: {type: string}
        - name: Last-Event-ID
          in: header
          description: The last event that arrived before the connection was lost.
          schema: {type: string}
      responses:
        '200':
          description: A notification, or null.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/NotificationOrNull'}
            text/event-stream:
              schema: {type: string}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '405': {$ref: '#/components/responses/MethodNotAllowed'}
        '409': {$ref: '#/components/responses/Conflict'}
        '429': {$ref: '#/components/responses/Throttled'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}

  # Users.
  /database/1/{container}/{environment}/{database}/users/caller:
    parameters:
      - {$ref: '#/components/parameters/container'}
      - {$ref: '#/components/parameters/environment'}
      - {$ref: '#/components/parameters/userDatabase'}
      - {$ref: '#/components/parameters/clientID'}
    get:
      operationId: caller
      tags: [users]
      summary: Who the caller is.
      description: >-
        Without a sign-in: 421 with the address of the sign-in page. For a server-to-server key its own name alone.
      security: [{apiToken: [], webAuthToken: []}, {keyID: [], keyDate: [], keySignature: []}]
      responses:
        '200':
          description: The identity, and the same within `users`.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/NextToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/CallerAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '405': {$ref: '#/components/responses/MethodNotAllowed'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '421': {$ref: '#/components/responses/SignInNeeded'}
        '429': {$ref: '#/components/responses/Throttled'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
    post:
      operationId: callerByPost
      tags: [users]
      summary: Who the caller is.
      description: >-
        The same as `GET`.
      security: [{apiToken: [], webAuthToken: []}, {keyID: [], keyDate: [], keySignature: []}]
      requestBody:
        required: false
        content:
          application/json:
            schema: {$ref: '#/components/schemas/EmptyRequest'}
            example:
              {}
      responses:
        '200':
          description: The identity, and the same within `users`.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/NextToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/CallerAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '405': {$ref: '#/components/responses/MethodNotAllowed'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '421': {$ref: '#/components/responses/SignInNeeded'}
        '429': {$ref: '#/components/responses/Throttled'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /database/1/{container}/{environment}/{database}/users/current:
    parameters:
      - {$ref: '#/components/parameters/container'}
      - {$ref: '#/components/parameters/environment'}
      - {$ref: '#/components/parameters/userDatabase'}
      - {$ref: '#/components/parameters/clientID'}
    get:
      operationId: currentUser
      tags: [users]
      summary: Who the caller is, in the older form.
      deprecated: true
      security: [{apiToken: [], webAuthToken: []}, {keyID: [], keyDate: [], keySignature: []}]
      responses:
        '200':
          description: The user.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/NextToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/UserDictionary'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '405': {$ref: '#/components/responses/MethodNotAllowed'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '421': {$ref: '#/components/responses/SignInNeeded'}
        '429': {$ref: '#/components/responses/Throttled'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
    post:
      operationId: currentUserByPost
      tags: [users]
      summary: Who the caller is, in the older form.
      description: >-
        The same as `GET`.
      deprecated: true
      security: [{apiToken: [], webAuthToken: []}, {keyID: [], keyDate: [], keySignature: []}]
      requestBody:
        required: false
        content:
          application/json:
            schema: {$ref: '#/components/schemas/EmptyRequest'}
            example:
              {}
      responses:
        '200':
          description: The user.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/NextToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/UserDictionary'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '405': {$ref: '#/components/responses/MethodNotAllowed'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '421': {$ref: '#/components/responses/SignInNeeded'}
        '429': {$ref: '#/components/responses/Throttled'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /database/1/{container}/{environment}/{database}/users/signOut:
    parameters:
      - {$ref: '#/components/parameters/container'}
      - {$ref: '#/components/parameters/environment'}
      - {$ref: '#/components/parameters/userDatabase'}
      - {$ref: '#/components/parameters/clientID'}
    post:
      operationId: signOut
      tags: [users]
      summary: Ends the sign-in by which it is asked.
      description: >-
        Not part of Apple's service. All web auth tokens of the sign-in are refused from now on, by other gateways within five
        seconds, and the clients that it registered for notifications are forgotten. Other sign-ins of the user stay.
      security: [{apiToken: [], webAuthToken: []}]
      requestBody:
        required: false
        content:
          application/json:
            schema: {$ref: '#/components/schemas/EmptyRequest'}
            example:
              {}
      responses:
        '200':
          description: The sign-in has ended.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestID'}
          content:
            application/json:
              schema:
                type: object
                required: [signedOut]
                properties:
                  signedOut: {const: true}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '405': {$ref: '#/components/responses/MethodNotAllowed'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '421': {$ref: '#/components/responses/SignInNeeded'}
        '429': {$ref: '#/components/responses/Throttled'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /database/1/{container}/{environment}/{database}/users/discover:
    parameters:
      - {$ref: '#/components/parameters/container'}
      - {$ref: '#/components/parameters/environment'}
      - {$ref: '#/components/parameters/publicDatabase'}
      - {$ref: '#/components/parameters/clientID'}
    get:
      operationId: discoverContacts
      tags: [users]
      summary: The people in the caller's address book.
      description: >-
        There are no address books: nobody.
      security: [{apiToken: [], webAuthToken: []}]
      responses:
        '200':
          description: Nobody.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/NextToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/UsersAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '405': {$ref: '#/components/responses/MethodNotAllowed'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '421': {$ref: '#/components/responses/SignInNeeded'}
        '429': {$ref: '#/components/responses/Throttled'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
    post:
      operationId: discoverUsers
      tags: [users]
      summary: People by e-mail address or user record name.
      description: >-
        Who is unknown, or has not agreed to be found, is left out.
      security: [{apiToken: [], webAuthToken: []}]
      requestBody:
        required: false
        content:
          application/json:
            schema: {$ref: '#/components/schemas/DiscoverRequest'}
            example:
              lookupInfos: [{emailAddress: ada@example.org}]
      responses:
        '200':
          description: Those who were found, in the order of the request.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/NextToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/UsersAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '405': {$ref: '#/components/responses/MethodNotAllowed'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '421': {$ref: '#/components/responses/SignInNeeded'}
        '429': {$ref: '#/components/responses/Throttled'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /database/1/{container}/{environment}/{database}/users/lookup/email:
    parameters:
      - {$ref: '#/components/parameters/container'}
      - {$ref: '#/components/parameters/environment'}
      - {$ref: '#/components/parameters/publicDatabase'}
      - {$ref: '#/components/parameters/clientID'}
    post:
      operationId: lookupUsersByEmail
      tags: [users]
      summary: People by e-mail address.
      deprecated: true
      security: [{apiToken: [], webAuthToken: []}]
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/LookupUsersRequest'}
            example:
              users: [{emailAddress: ada@example.org}]
      responses:
        '200':
          description: Those who were found.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/NextToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/UsersAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '405': {$ref: '#/components/responses/MethodNotAllowed'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '421': {$ref: '#/components/responses/SignInNeeded'}
        '429': {$ref: '#/components/responses/Throttled'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /database/1/{container}/{environment}/{database}/users/lookup/id:
    parameters:
      - {$ref: '#/components/parameters/container'}
      - {$ref: '#/components/parameters/environment'}
      - {$ref: '#/components/parameters/publicDatabase'}
      - {$ref: '#/components/parameters/clientID'}
    post:
      operationId: lookupUsersByID
      tags: [users]
      summary: People by user record name.
      deprecated: true
      security: [{apiToken: [], webAuthToken: []}]
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/LookupUsersRequest'}
            example:
              users: [{userRecordName: _7f0c2d7f6a1e4c55a2f3b3a1c0de9911}]
      responses:
        '200':
          description: Those who were found.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/NextToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/UsersAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '405': {$ref: '#/components/responses/MethodNotAllowed'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '421': {$ref: '#/components/responses/SignInNeeded'}
        '429': {$ref: '#/components/responses/Throttled'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /database/1/{container}/{environment}/{database}/users/lookup/contacts:
    parameters:
      - {$ref: '#/components/parameters/container'}
      - {$ref: '#/components/parameters/environment'}
      - {$ref: '#/components/parameters/publicDatabase'}
      - {$ref: '#/components/parameters/clientID'}
    get:
      operationId: lookupContacts
      tags: [users]
      summary: The people in the caller's address book.
      deprecated: true
      security: [{apiToken: [], webAuthToken: []}]
      responses:
        '200':
          description: Nobody.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/NextToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/UsersAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '405': {$ref: '#/components/responses/MethodNotAllowed'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '421': {$ref: '#/components/responses/SignInNeeded'}
        '429': {$ref: '#/components/responses/Throttled'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
    post:
      operationId: lookupContactsByPost
      tags: [users]
      summary: The people in the caller's address book.
      description: >-
        The same as `GET`.
      deprecated: true
      security: [{apiToken: [], webAuthToken: []}]
      requestBody:
        required: false
        content:
          application/json:
            schema: {$ref: '#/components/schemas/EmptyRequest'}
            example:
              {}
      responses:
        '200':
          description: Nobody.
          headers:
            X-Apple-Request-UUID: {$ref: '#/components/headers/RequestID'}
            X-Apple-CloudKit-Web-Auth-Token: {$ref: '#/components/headers/NextToken'}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/UsersAnswer'}
        '400': {$ref: '#/components/responses/BadRequest'}
        '401': {$ref: '#/components/responses/AuthenticationFailed'}
        '403': {$ref: '#/components/responses/AccessDenied'}
        '404': {$ref: '#/components/responses/NotFound'}
        '405': {$ref: '#/components/responses/MethodNotAllowed'}
        '413': {$ref: '#/components/responses/TooLarge'}
        '421': {$ref: '#/components/responses/SignInNeeded'}
        '429': {$ref: '#/components/responses/Throttled'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}

  # For people.
  /signin:
    get:
      operationId: signInPage
      tags: [pages]
      summary: The sign-in page, at the address in `redirectURL`.
      description: >-
        Whoever signs in is sent to the callback of the API token with `ckWebAuthToken` and `ckSession` in the query, or,
        where origins are listed, the page posts `{ckWebAuthToken, ckSession}` to the window that opened it. Nothing
        else ever gets the token. A user who cancels is told by `errorMessage` in the same way.
      security: []
      parameters:
        - name: t
          in: query
          required: true
          description: As it is in `redirectURL`; good for half an hour.
          schema: {type: string}
      responses:
        '200': {$ref: '#/components/responses/Page'}
        '400': {$ref: '#/components/responses/Page'}
        '403': {$ref: '#/components/responses/Page'}
        '410': {$ref: '#/components/responses/Page'}
        '429': {$ref: '#/components/responses/Throttled'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /signin/out:
    get:
      operationId: signOutPage
      tags: [pages]
      summary: The page on which a user ends all sign-ins.
      security: []
      responses:
        '200': {$ref: '#/components/responses/Page'}
        '429': {$ref: '#/components/responses/Throttled'}
        '500': {$ref: '#/components/responses/InternalError'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /openapi.yaml:
    get:
      operationId: openAPIDocument
      tags: [pages]
      summary: This document.
      security: []
      responses:
        '200':
          description: The document.
          content: {application/yaml: {schema: {type: object}}}
        '429': {$ref: '#/components/responses/Throttled'}
        '503': {$ref: '#/components/responses/TryAgainLater'}
  /docs:
    get:
      operationId: documentPage
      tags: [pages]
      summary: This document as a page.
      security: []
      responses:
        '200': {$ref: '#/components/responses/Page'}
        '429': {$ref: '#/components/responses/Throttled'}
        '503': {$ref: '#/components/responses/TryAgainLater'}

components:
  securitySchemes:
    apiToken:
      type: apiKey
      in: query
      name: ckAPIToken
      description: 64 hexadecimal digits; of one container and environment, perhaps for some web origins only. Not a secret.
    webAuthToken:
      type: apiKey
      in: query
      name: ckWebAuthToken
      description: >-
        A user's, from the sign-in page, percent-encoded; `ckSession` is the same. Good for 30 minutes, or two weeks when
        the user chose so; the next one stands in the answer.
    keyID:
      type: apiKey
      in: header
      name: X-Apple-CloudKit-Request-KeyID
      description: Which server-to-server key signs the request.
    keyDate:
      type: apiKey
      in: header
      name: X-Apple-CloudKit-Request-ISO8601Date
      description: When it was signed, `2026-01-15T09:30:00Z`; at most ten minutes from now.
    keySignature:
      type: apiKey
      in: header
      name: X-Apple-CloudKit-Request-SignatureV1
      description: >-
        Base64 of the DER form of an ECDSA signature (P-256, SHA-256) over the date, a colon, base64 of the body's
        SHA-256, a colon, and the request's path.

  parameters:
    container:
      name: container
      in: path
      required: true
      description: The container's identifier, percent-encoded.
      schema: {$ref: '#/components/schemas/Container'}
      example: iCloud.org.example.Notes
    environment:
      name: environment
      in: path
      required: true
      schema: {enum: [development, production]}
      example: development
    database:
      name: database
      in: path
      required: true
      description: The shared database is not served yet.
      schema: {enum: [public, private, shared]}
      example: private
    ownDatabase:
      name: database
      in: path
      required: true
      description: The shared database is not served yet.
      schema: {enum: [private, shared]}
      example: private
    userDatabase:
      name: database
      in: path
      required: true
      schema: {enum: [public, private]}
      example: public
    publicDatabase:
      name: database
      in: path
      required: true
      schema: {const: public}
      example: public
    clientID:
      name: clientId
      in: query
      description: What the client calls itself; it is not notified of its own changes.
      schema: {type: string, minLength: 1, maxLength: 255, pattern: '^[!-~]+$'}
    currentSyncToken:
      name: getCurrentSyncToken
      in: query
      description: Whether the answer has `syncToken`, the zone's.
      schema: {type: boolean}
    idempotencyKey:
      name: Idempotency-Key
      in: header
      description: The same for the repetition of a request, which is then not executed twice. Remembered for 24 hours.
      schema: {type: string, minLength: 1, maxLength: 128, pattern: '^[A-Za-z0-9._:-]+$'}

  headers:
    RequestID:
      description: The request's id, which is in the log too, and in errors as `uuid`.
      required: true
      schema: {type: string}
    NextToken:
      description: The next web auth token of a user who is signed in.
      schema: {type: string, pattern: '^[A-Za-z0-9+/=_]{100,}$'}
    RetryAfter:
      description: Seconds; the same as `retryAfter`.
      required: true
      schema: {type: integer, minimum: 0}
    Allow:
      description: The methods that there are.
      required: true
      schema: {type: string}

  responses:
    BadRequest:
      description: '`BAD_REQUEST`: malformed or impossible; `reason` names what.'
      content: {application/json: {schema: {$ref: '#/components/schemas/ErrorAnswer'}}}
    BadRequestOrAtomicFailure:
      description: '`BAD_REQUEST`, or `ATOMIC_ERROR`: nothing was saved, and `records` tells why.'
      content:
        application/json:
          schema:
            oneOf: [{$ref: '#/components/schemas/ErrorAnswer'}, {$ref: '#/components/schemas/AtomicFailure'}]
    AuthenticationFailed:
      description: '`AUTHENTICATION_FAILED`: the credentials are not good, or not of the kind that is needed.'
      content: {application/json: {schema: {$ref: '#/components/schemas/ErrorAnswer'}}}
    AccessDenied:
      description: '`ACCESS_DENIED`: not allowed to this caller.'
      content: {application/json: {schema: {$ref: '#/components/schemas/ErrorAnswer'}}}
    NotFound:
      description: '`NOT_FOUND` or `ZONE_NOT_FOUND`.'
      content: {application/json: {schema: {$ref: '#/components/schemas/ErrorAnswer'}}}
    MethodNotAllowed:
      description: '`BAD_REQUEST`: the endpoint does not take this method.'
      headers: {Allow: {$ref: '#/components/headers/Allow'}}
      content: {application/json: {schema: {$ref: '#/components/schemas/ErrorAnswer'}}}
    Conflict:
      description: '`CONFLICT` or `EXISTS`: something changed, or exists.'
      content: {application/json: {schema: {$ref: '#/components/schemas/ErrorAnswer'}}}
    ReferenceViolation:
      description: '`VALIDATING_REFERENCE_ERROR`: a reference that has to be good would not be.'
      content: {application/json: {schema: {$ref: '#/components/schemas/ErrorAnswer'}}}
    TooLarge:
      description: '`QUOTA_EXCEEDED`, or a body that is too large.'
      content: {application/json: {schema: {$ref: '#/components/schemas/ErrorAnswer'}}}
    SignInNeeded:
      description: '`AUTHENTICATION_REQUIRED`: a user has to sign in, at `redirectURL`.'
      content: {application/json: {schema: {$ref: '#/components/schemas/SignInNeeded'}}}
    Throttled:
      description: '`THROTTLED`: too many requests.'
      headers: {Retry-After: {$ref: '#/components/headers/RetryAfter'}}
      content: {application/json: {schema: {$ref: '#/components/schemas/ErrorAnswer'}}}
    InternalError:
      description: '`INTERNAL_ERROR`: our fault; the log has the rest under `uuid`.'
      content: {application/json: {schema: {$ref: '#/components/schemas/ErrorAnswer'}}}
    TryAgainLater:
      description: '`TRY_AGAIN_LATER`: something is away for a while.'
      headers: {Retry-After: {$ref: '#/components/headers/RetryAfter'}}
      content: {application/json: {schema: {$ref: '#/components/schemas/ErrorAnswer'}}}
    Page:
      description: A page.
      content: {text/html: {schema: {type: string}}}

  schemas:
    # The gateway's own.
    ErrorAnswer:
      type: object
      additionalProperties: false
      required: [uuid, serverErrorCode, reason, reasonCode, ckErrorCode]
      properties:
        uuid: {$ref: '#/components/schemas/RequestID'}
        recordName: {type: string}
        zoneID: {$ref: '#/components/schemas/ZoneID'}
        serverErrorCode: {$ref: '#/components/schemas/ServerErrorCode'}
        reason: {$ref: '#/components/schemas/Reason'}
        reasonCode: {$ref: '#/components/schemas/ReasonCode'}
        ckErrorCode: {$ref: '#/components/schemas/CKErrorCode'}
        field: {$ref: '#/components/schemas/ErrorField'}
        limit: {type: integer}
        actual: {type: integer}
        retryAfter: {$ref: '#/components/schemas/RetryAfter'}
        encryptedDataReset: {$ref: '#/components/schemas/EncryptedDataReset'}
        recordType: {$ref: '#/components/schemas/ErrorType'}
        requestID: {$ref: '#/components/schemas/RequestID'}
        hint: {$ref: '#/components/schemas/Hint'}
        documentation: {$ref: '#/components/schemas/ErrorPage'}
        line: {type: integer, minimum: 1, description: Of a text that is at fault.}
        column: {type: integer, minimum: 1, description: The character of that line.}
    SignInNeeded:
      type: object
      additionalProperties: false
      required: [uuid, serverErrorCode, reason, reasonCode, ckErrorCode, redirectURL]
      properties:
        uuid: {$ref: '#/components/schemas/RequestID'}
        serverErrorCode: {const: AUTHENTICATION_REQUIRED}
        reason: {$ref: '#/components/schemas/Reason'}
        reasonCode: {$ref: '#/components/schemas/ReasonCode'}
        ckErrorCode: {const: 9}
        field: {$ref: '#/components/schemas/ErrorField'}
        redirectURL: {type: string, pattern: '^https?://.*/signin\?t=[A-Za-z0-9_-]+$', description: The sign-in page.}
        requestID: {$ref: '#/components/schemas/RequestID'}
        hint: {$ref: '#/components/schemas/Hint'}
        documentation: {$ref: '#/components/schemas/ErrorPage'}
    EmptyRequest: {type: object}
    RecordChangesRequest:
      allOf: [{$ref: '#/components/schemas/ZoneChangesQuery'}]
      required: [zoneID]
    ShortGUIDsRequest:
      type: object
      required: [shortGUIDs]
      properties:
        shortGUIDs:
          type: array
          items:
            type: object
            required: [value]
            properties:
              value: {type: string}
              shouldFetchRootRecord: {type: boolean}
              rootRecordDesiredKeys: {$ref: '#/components/schemas/Keys'}
    ShortGUIDsAnswer:
      type: object
      required: [results]
      properties: {results: {type: array, items: {type: object}}}
    NotificationOrNull:
      type: [object, 'null']
      description: As Apple's push service has it; `ck` tells what changed.
      required: [ck]
      properties:
        aps: {type: object}
        ck: {type: object}
    NameComponents:
      type: object
      additionalProperties: false
      properties: {givenName: {type: string}, familyName: {type: string}}
    LookupInfo:
      type: object
      description: What was asked by; one of them.
      additionalProperties: false
      properties: {emailAddress: {type: string}, userRecordName: {type: string}}
    UserIdentity:
      type: object
      additionalProperties: false
      required: [userRecordName]
      properties:
        userRecordName: {$ref: '#/components/schemas/UserName'}
        nameComponents: {$ref: '#/components/schemas/NameComponents'}
        lookupInfo: {$ref: '#/components/schemas/LookupInfo'}
        firstName: {type: string, description: In the older lookups.}
        lastName: {type: string, description: In the older lookups.}
        emailAddress: {type: string, description: In the older lookup by e-mail.}
    CallerAnswer:
      type: object
      additionalProperties: false
      required: [userRecordName, users]
      properties:
        userRecordName: {$ref: '#/components/schemas/UserName'}
        nameComponents: {$ref: '#/components/schemas/NameComponents'}
        lookupInfo: {$ref: '#/components/schemas/LookupInfo'}
        firstName: {type: string}
        lastName: {type: string}
        users:
          {type: array, minItems: 1, maxItems: 1, items: {$ref: '#/components/schemas/UserIdentity'}}
    UserDictionary:
      type: object
      additionalProperties: false
      required: [userRecordName, firstName, lastName]
      properties:
        userRecordName: {$ref: '#/components/schemas/UserName'}
        firstName: {type: [string, 'null']}
        lastName: {type: [string, 'null']}
    UsersAnswer:
      type: object
      additionalProperties: false
      required: [users]
      properties: {users: {type: array, items: {$ref: '#/components/schemas/UserIdentity'}}}
    PersonToFind:
      type: object
      description: By the first of them that there is; nobody has a telephone number here.
      properties:
        emailAddress: {type: [string, 'null']}
        userRecordName: {type: [string, 'null']}
        phoneNumber: {type: [string, 'null']}
    DiscoverRequest:
      type: object
      properties: {lookupInfos: {type: array, maxItems: 200, items: {$ref: '#/components/schemas/PersonToFind'}}}
    LookupUsersRequest:
      type: object
      required: [users]
      properties: {users: {type: array, maxItems: 200, items: {$ref: '#/components/schemas/PersonToFind'}}}

    # The services': as in `asyncapi.yaml`.
    Container: {type: string, pattern: '^[!-~]{1,255}$', description: 'The container''s identifier, `iCloud.…`.'}
    UserName: {type: string, pattern: '^_[0-9a-f]{32}$'}
    Name: {type: string, minLength: 1, maxLength: 255, description: At most 255 bytes of UTF-8.}
    FieldName: {type: string, pattern: '^[A-Za-z][A-Za-z0-9_]{0,254}$'}
    Keys: {type: array, items: {type: string}, description: 'The fields wanted; without it all, empty: none.'}
    SyncToken: {type: string, minLength: 1, description: 'Opaque: a place in a change feed.'}
    Milliseconds: {type: integer, minimum: 0, description: Since 1970.}
    FileChecksum: {type: string, pattern: '^[A-Za-z0-9+/]{44}$', description: In base64.}
    ServerErrorCode:
      enum: [ACCESS_DENIED, ATOMIC_ERROR, AUTHENTICATION_FAILED, AUTHENTICATION_REQUIRED, BAD_REQUEST, CONFLICT, EXISTS,
             INTERNAL_ERROR, NOT_FOUND, QUOTA_EXCEEDED, THROTTLED, TRY_AGAIN_LATER, VALIDATING_REFERENCE_ERROR,
             ZONE_NOT_FOUND]
    ReasonCode: {type: string, pattern: '^[a-z][a-z0-9_]*$', description: 'Stable, for programs.'}
    Reason: {type: string, description: For people; names the field or limit.}
    CKErrorCode: {type: integer, minimum: 1, maximum: 37, description: 'The integer of `CKError.Code`.'}
    ErrorField: {type: string, description: 'The field, or the key of the request, that is at fault.'}
    RetryAfter: {type: integer, description: Seconds after which trying again makes sense.}
    EncryptedDataReset:
      const: true
      description: The zone went since its keys were reset. The client makes it again and uploads what it has.
    Hint: {type: string, description: 'What to do about it, in a sentence.'}
    ErrorPage: {type: string, pattern: '^errors\.md#[a-z0-9_]+$', description: 'Where the error is explained.'}
    ErrorType: {type: string, description: The record type that the error is about.}
    RequestID: {type: string, description: 'The request''s id, which is in the log too.'}
    AtomicFailure:
      type: object
      description: Nothing was saved, because of those items that are not `ATOMIC_ERROR`.
      additionalProperties: false
      required: [uuid, serverErrorCode, reason, reasonCode, ckErrorCode, records]
      properties:
        uuid: {$ref: '#/components/schemas/RequestID'}
        serverErrorCode: {const: ATOMIC_ERROR}
        reason: {$ref: '#/components/schemas/Reason'}
        reasonCode: {const: atomic_failure}
        ckErrorCode: {const: 22}
        requestID: {$ref: '#/components/schemas/RequestID'}
        hint: {$ref: '#/components/schemas/Hint'}
        documentation: {$ref: '#/components/schemas/ErrorPage'}
        records: {type: array, items: {$ref: '#/components/schemas/RecordError'}}
    RecordError:
      type: object
      additionalProperties: false
      required: [recordName, serverErrorCode, reason, reasonCode, ckErrorCode]
      properties:
        recordName: {type: string, description: Empty when the operation named none.}
        serverErrorCode: {$ref: '#/components/schemas/ServerErrorCode'}
        reason: {$ref: '#/components/schemas/Reason'}
        reasonCode: {$ref: '#/components/schemas/ReasonCode'}
        ckErrorCode: {$ref: '#/components/schemas/CKErrorCode'}
        field: {$ref: '#/components/schemas/ErrorField'}
        limit: {type: integer}
        actual: {type: integer}
        retryAfter: {$ref: '#/components/schemas/RetryAfter'}
        recordType: {$ref: '#/components/schemas/ErrorType'}
        requestID: {$ref: '#/components/schemas/RequestID'}
        hint: {$ref: '#/components/schemas/Hint'}
        documentation: {$ref: '#/components/schemas/ErrorPage'}
        redirectURL: {type: string, description: 'Over HTTP, with `AUTHENTICATION_REQUIRED`: the sign-in page.'}
        serverRecord: {$ref: '#/components/schemas/Record'}
    ZoneError:
      type: object
      additionalProperties: false
      required: [zoneID, serverErrorCode, reason, reasonCode, ckErrorCode]
      properties:
        zoneID: {$ref: '#/components/schemas/ZoneID'}
        serverErrorCode: {$ref: '#/components/schemas/ServerErrorCode'}
        reason: {$ref: '#/components/schemas/Reason'}
        reasonCode: {$ref: '#/components/schemas/ReasonCode'}
        ckErrorCode: {$ref: '#/components/schemas/CKErrorCode'}
        field: {$ref: '#/components/schemas/ErrorField'}
        limit: {type: integer}
        actual: {type: integer}
        retryAfter: {$ref: '#/components/schemas/RetryAfter'}
        encryptedDataReset: {$ref: '#/components/schemas/EncryptedDataReset'}
        recordType: {$ref: '#/components/schemas/ErrorType'}
        requestID: {$ref: '#/components/schemas/RequestID'}
        hint: {$ref: '#/components/schemas/Hint'}
        documentation: {$ref: '#/components/schemas/ErrorPage'}
    SubscriptionError:
      type: object
      additionalProperties: false
      required: [serverErrorCode, reason, reasonCode, ckErrorCode]
      properties:
        subscriptionID: {type: string}
        serverErrorCode: {$ref: '#/components/schemas/ServerErrorCode'}
        reason: {$ref: '#/components/schemas/Reason'}
        reasonCode: {$ref: '#/components/schemas/ReasonCode'}
        ckErrorCode: {$ref: '#/components/schemas/CKErrorCode'}
        field: {$ref: '#/components/schemas/ErrorField'}
        limit: {type: integer}
        actual: {type: integer}
        retryAfter: {$ref: '#/components/schemas/RetryAfter'}
        recordType: {$ref: '#/components/schemas/ErrorType'}
        requestID: {$ref: '#/components/schemas/RequestID'}
        hint: {$ref: '#/components/schemas/Hint'}
        documentation: {$ref: '#/components/schemas/ErrorPage'}
    ModifyRecordsRequest:
      type: object
      required: [operations]
      properties:
        operations: {type: array, maxItems: 2000, items: {$ref: '#/components/schemas/RecordOperation'}}
        zoneID: {$ref: '#/components/schemas/NamedZone'}
        atomic: {type: boolean, description: 'All or nothing. Without it: in custom zones, not in the default zone.'}
        desiredKeys: {$ref: '#/components/schemas/Keys'}
        numbersAsStrings: {type: boolean, description: Whether numbers come back in quotes.}
    RecordOperation:
      type: object
      required: [operationType, record]
      properties:
        operationType: {enum: [create, update, forceUpdate, replace, forceReplace, delete, forceDelete]}
        record: {$ref: '#/components/schemas/RecordToSave'}
        desiredKeys: {$ref: '#/components/schemas/Keys'}
        numbersAsStrings: {type: boolean}
    RecordToSave:
      type: object
      properties:
        recordName: {$ref: '#/components/schemas/Name'}
        recordType: {$ref: '#/components/schemas/FieldName'}
        recordChangeTag: {type: string, description: 'Of the client''s copy; for `update`, `replace`, `delete`.'}
        fields:
          type: object
          propertyNames: {$ref: '#/components/schemas/FieldName'}
          additionalProperties: {$ref: '#/components/schemas/FieldToSave'}
        parent:
          type: [object, 'null']
          description: 'The record''s place in a hierarchy; null: none.'
          properties: {recordName: {$ref: '#/components/schemas/Name'}}
        createShortGUID: {type: boolean}
    FieldToSave:
      type: [object, 'null']
      description: Null, or a value that is null, clears the field.
      properties:
        value: {$ref: '#/components/schemas/ValueToSave'}
        type:
          type: string
          description: >-
            Without it the value tells; a new field of a single number is then a NUMBER, which takes INT64 and DOUBLE.
            Accepted besides: `INT`, `DATETIME`, `BYTE`, `ASSET`, a leading `ENCRYPTED_`,
            and `LIST` and `UNKNOWN_LIST`, which name no type of the elements.
          anyOf:
            - {$ref: '#/components/schemas/FieldType'}
            - {pattern: '^(ENCRYPTED_)?(INT|DATETIME|BYTE|ASSET)(_LIST)?$'}
            - {pattern: '^ENCRYPTED_(STRING|INT64|DOUBLE|TIMESTAMP|BYTES|REFERENCE|ASSETID|LOCATION)(_LIST)?$'}
            - {enum: [LIST, UNKNOWN_LIST]}
        isEncrypted: {type: boolean}
    FieldType:
      enum: [STRING, INT64, DOUBLE, TIMESTAMP, BYTES, REFERENCE, ASSETID, LOCATION, STRING_LIST, INT64_LIST,
             DOUBLE_LIST, TIMESTAMP_LIST, BYTES_LIST, REFERENCE_LIST, ASSETID_LIST, LOCATION_LIST]
    ValueToSave:
      anyOf:
        - {type: ['null', string, number, boolean]}
        - {$ref: '#/components/schemas/ReferenceToSave'}
        - {$ref: '#/components/schemas/AssetToSave'}
        - {$ref: '#/components/schemas/LocationToSave'}
        - type: array
          items:
            anyOf:
              - {type: [string, number, boolean]}
              - {$ref: '#/components/schemas/ReferenceToSave'}
              - {$ref: '#/components/schemas/AssetToSave'}
              - {$ref: '#/components/schemas/LocationToSave'}
    ReferenceToSave:
      type: object
      required: [recordName]
      properties:
        recordName: {$ref: '#/components/schemas/Name'}
        action: {enum: [NONE, DELETE_SELF, VALIDATE]}
        zoneID: {$ref: '#/components/schemas/NamedZone'}
    AssetToSave:
      type: object
      description: >-
        The `singleFile` of the upload's answer, whose receipt is the proof. Without a receipt: an asset that the
        record's field has already.
      required: [fileChecksum]
      properties:
        fileChecksum: {$ref: '#/components/schemas/FileChecksum'}
        size: {type: integer}
        receipt: {type: string}
        referenceChecksum: {type: string}
        wrappingKey: {type: string}
    LocationToSave:
      type: object
      required: [latitude, longitude]
      properties:
        latitude: {type: number, minimum: -90, maximum: 90}
        longitude: {type: number, minimum: -180, maximum: 180}
        horizontalAccuracy: {type: number}
        verticalAccuracy: {type: number}
        altitude: {type: number}
        speed: {type: number}
        course: {type: number}
        timestamp: {type: integer}
    ModifyRecordsAnswer:
      type: object
      additionalProperties: false
      anyOf: [{required: [records]}, {required: [answerOmitted]}]
      properties:
        syncToken:
          type: string
          description: The zone's, when `getCurrentSyncToken` asks for it.
        answerOmitted:
          const: true
          description: The operations were executed, and the answer about them is larger than a message; look the records up.
        records:
          type: array
          description: One for each operation, in their order.
          items:
            oneOf:
              - {$ref: '#/components/schemas/Record'}
              - {$ref: '#/components/schemas/Tombstone'}
              - {$ref: '#/components/schemas/RecordError'}
    LookupRecordsRequest:
      type: object
      required: [records]
      properties:
        records:
          type: array
          maxItems: 2000
          items:
            type: object
            required: [recordName]
            properties: {recordName: {type: string}, desiredKeys: {$ref: '#/components/schemas/Keys'}}
        zoneID: {$ref: '#/components/schemas/NamedZone'}
        desiredKeys: {$ref: '#/components/schemas/Keys'}
        numbersAsStrings: {type: boolean}
    LookupRecordsAnswer:
      type: object
      additionalProperties: false
      required: [records]
      properties:
        syncToken:
          type: string
          description: The zone's, when `getCurrentSyncToken` asks for it.
        records:
          type: array
          items: {oneOf: [{$ref: '#/components/schemas/Record'}, {$ref: '#/components/schemas/RecordError'}]}
    QueryRecordsRequest:
      type: object
      required: [query]
      properties:
        query: {$ref: '#/components/schemas/Query'}
        zoneID: {$ref: '#/components/schemas/NamedZone'}
        zoneWide: {type: boolean, description: 'All zones of the database, unless a zone is named.'}
        resultsLimit: {type: integer, minimum: 0, description: '0 leaves it to the service.'}
        continuationMarker: {type: string, description: Of the page before. The query is repeated with it.}
        desiredKeys: {$ref: '#/components/schemas/Keys'}
        numbersAsStrings: {type: boolean}
    Query:
      type: object
      required: [recordType]
      properties:
        recordType: {type: string}
        filterBy:
          description: All have to match. One may stand without the array.
          anyOf:
            - {$ref: '#/components/schemas/Filter'}
            - {type: array, items: {$ref: '#/components/schemas/Filter'}}
        sortBy:
          description: The first decides first. One may stand without the array.
          anyOf:
            - {$ref: '#/components/schemas/Sort'}
            - {type: array, maxItems: 16, items: {$ref: '#/components/schemas/Sort'}}
    Filter:
      oneOf:
        - {$ref: '#/components/schemas/Comparison'}
        - {$ref: '#/components/schemas/JoinedFilters'}
    Comparison:
      type: object
      description: A field by either name; none for a search for words in all fields.
      required: [comparator]
      properties:
        comparator:
          type: string
          description: '`queries.md` lists them and says what each needs.'
          pattern: >-
            ^((NOT_)?(LIST_MEMBER_)?(EQUALS|LESS_THAN|LESS_THAN_OR_EQUALS|GREATER_THAN|GREATER_THAN_OR_EQUALS|IN|BEGINS_WITH|CONTAINS_ALL_TOKENS|CONTAINS_ANY_TOKENS|NEAR|LIST_CONTAINS_ALL|BETWEEN|CONTAINS|ENDS_WITH|LIKE|MATCHES|EXISTS|NEARER_THAN|FARTHER_THAN|FARTHER_THAN_OR_EQUALS)|NOT_EQUALS|(NOT_)?LIST_MEMBER_NOT_EQUALS|(NOT_)?(LIST_CONTAINS|LIST_CONTAINS_ANY|CONTAINS_ANY)|LIST_NOT_CONTAINS|LIST_NOT_CONTAINS_ANY)$
        fieldName: {type: string}
        systemFieldName: {$ref: '#/components/schemas/SystemFieldName'}
        fieldValue: {$ref: '#/components/schemas/FieldToSave'}
        distance: {type: number, minimum: 0, description: Metres.}
        options: {type: string, pattern: '^[cdCD]*$', description: Without regard to case (c) or accents (d).}
      not: {anyOf: [{required: [and]}, {required: [or]}, {required: [not]}]}
    JoinedFilters:
      type: object
      description: >-
        Zonda's own. What stands in it are filters again, at most 24 levels deep; `and` of nothing matches all records,
        `or` of nothing none.
      minProperties: 1
      oneOf: [{required: [and]}, {required: [or]}, {required: [not]}]
      properties:
        and: {type: [array, object], items: {type: object}}
        or: {type: [array, object], items: {type: object}}
        not: {type: object}
    SystemFieldName:
      type: string
      pattern: >-
        ^(recordName|createdTimestamp|modifiedTimestamp|createdUserRecordName|modifiedUserRecordName|parent|share|___[A-Za-z]+)$
    FieldReference:
      type: object
      properties:
        fieldName: {type: string}
        systemFieldName: {$ref: '#/components/schemas/SystemFieldName'}
      anyOf: [{required: [fieldName]}, {required: [systemFieldName]}]
    Sort:
      allOf:
        - {$ref: '#/components/schemas/FieldReference'}
        - type: object
          properties:
            ascending: {type: boolean, default: true}
            relativeLocation:
              description: A place, nearest first; alone or in a field value dictionary.
              anyOf: [{$ref: '#/components/schemas/LocationToSave'}, {$ref: '#/components/schemas/FieldToSave'}]
    QueryRecordsAnswer:
      type: object
      additionalProperties: false
      required: [records]
      properties:
        syncToken:
          type: string
          description: The zone's, when `getCurrentSyncToken` asks for it.
        records: {type: array, items: {$ref: '#/components/schemas/Record'}}
        continuationMarker:
          {$ref: '#/components/schemas/ContinuationMarker'}
        warnings: {$ref: '#/components/schemas/QueryWarnings'}
    ContinuationMarker:
      type: string
      minLength: 1
      description: >-
        Only an answer without it is the last: a page may hold fewer records than asked for, even none. Standard
        base64, good for 24 hours, and for the same query only.
      contentEncoding: base64
      pattern: '^[A-Za-z0-9+/]+=*$'
    QueryWarnings:
      type: array
      description: Indexes that are missing, for people.
      minItems: 1
      items: {type: string}
    Record:
      type: object
      additionalProperties: false
      required: [recordName, recordType, fields, pluginFields, recordChangeTag, created, modified, deleted]
      properties:
        recordName: {$ref: '#/components/schemas/Name'}
        recordType: {type: string}
        fields: {type: object, additionalProperties: {$ref: '#/components/schemas/Field'}}
        pluginFields: {type: object, additionalProperties: false}
        recordChangeTag: {type: string, minLength: 1}
        created: {$ref: '#/components/schemas/Stamp'}
        modified: {$ref: '#/components/schemas/Stamp'}
        deleted: {const: false}
        parent:
          {type: object, additionalProperties: false, required: [recordName], properties: {recordName: {type: string}}}
        zoneID: {$ref: '#/components/schemas/ZoneID'}
        shortGUID: {type: string}
        fieldsOmitted: {const: true, description: There was no room for the fields in the answer to a write; look the record up.}
    Tombstone:
      type: object
      description: What is left of a deleted record.
      additionalProperties: false
      required: [recordName, deleted]
      properties:
        recordName: {type: string}
        deletedRecordType: {type: string, description: 'In feeds: the type that it had. CloudKit has no such key; a tombstone is told by the absence of `recordType`.'}
        deleted: {const: true}
        zoneID: {$ref: '#/components/schemas/ZoneID'}
    Stamp:
      type: object
      additionalProperties: false
      required: [timestamp, userRecordName, deviceID]
      properties:
        timestamp: {$ref: '#/components/schemas/Milliseconds'}
        userRecordName: {type: string}
        deviceID: {type: string}
    Field:
      type: object
      additionalProperties: false
      required: [value, type]
      properties: {value: true, type: {$ref: '#/components/schemas/FieldType'}, isEncrypted: {const: true}}
      oneOf:
        - {properties: {type: {const: STRING}, value: {type: string}}}
        - {properties: {type: {const: INT64}, value: {$ref: '#/components/schemas/Integer'}}}
        - {properties: {type: {const: DOUBLE}, value: {$ref: '#/components/schemas/Number'}}}
        - {properties: {type: {const: TIMESTAMP}, value: {$ref: '#/components/schemas/Integer'}}}
        - {properties: {type: {const: BYTES}, value: {$ref: '#/components/schemas/Base64'}}}
        - {properties: {type: {const: REFERENCE}, value: {$ref: '#/components/schemas/Reference'}}}
        - {properties: {type: {const: ASSETID}, value: {$ref: '#/components/schemas/Asset'}}}
        - {properties: {type: {const: LOCATION}, value: {$ref: '#/components/schemas/Location'}}}
        - {properties: {type: {const: STRING_LIST}, value: {type: array, items: {type: string}}}}
        - properties:
            type: {const: INT64_LIST}
            value: {type: array, items: {$ref: '#/components/schemas/Integer'}}
        - properties:
            type: {const: DOUBLE_LIST}
            value: {type: array, items: {$ref: '#/components/schemas/Number'}}
        - properties:
            type: {const: TIMESTAMP_LIST}
            value: {type: array, items: {$ref: '#/components/schemas/Integer'}}
        - properties:
            type: {const: BYTES_LIST}
            value: {type: array, items: {$ref: '#/components/schemas/Base64'}}
        - properties:
            type: {const: REFERENCE_LIST}
            value: {type: array, items: {$ref: '#/components/schemas/Reference'}}
        - properties:
            type: {const: ASSETID_LIST}
            value: {type: array, items: {$ref: '#/components/schemas/Asset'}}
        - properties:
            type: {const: LOCATION_LIST}
            value: {type: array, items: {$ref: '#/components/schemas/Location'}}
    Integer:
      description: 64 bits; in quotes after `numbersAsStrings`. A `TIMESTAMP` is milliseconds since 1970.
      anyOf: [{type: integer}, {type: string, pattern: '^-?[0-9]+$'}]
    Number:
      description: In quotes after `numbersAsStrings`.
      anyOf: [{type: number}, {type: string, pattern: '^-?[0-9]'}]
    Base64: {type: string, contentEncoding: base64, pattern: '^[A-Za-z0-9+/]*=*$'}
    Reference:
      type: object
      additionalProperties: false
      required: [recordName, action]
      properties:
        recordName: {$ref: '#/components/schemas/Name'}
        action: {enum: [NONE, DELETE_SELF, VALIDATE]}
        zoneID:
          type: object
          additionalProperties: false
          required: [zoneName]
          properties: {zoneName: {type: string}, ownerRecordName: {type: string}}
    Asset:
      type: object
      additionalProperties: false
      required: [fileChecksum, size]
      properties:
        fileChecksum: {$ref: '#/components/schemas/FileChecksum'}
        size: {type: integer, minimum: 0}
        referenceChecksum: {type: string}
        wrappingKey: {type: string}
        downloadURL: {type: string, description: 'Needs no credentials, ends by itself.'}
    Location:
      type: object
      additionalProperties: false
      required: [latitude, longitude]
      properties:
        latitude: {type: number}
        longitude: {type: number}
        horizontalAccuracy: {type: number}
        verticalAccuracy: {type: number}
        altitude: {type: number}
        speed: {type: number}
        course: {type: number}
        timestamp: {type: integer}
    NamedZone:
      type: object
      description: A zone as a request names it; without one the default zone is meant.
      required: [zoneName]
      properties:
        zoneName: {type: string}
        ownerRecordName: {type: string, description: 'The caller; `__defaultOwner__` or nothing is the same.'}
    ZoneID:
      type: object
      additionalProperties: false
      required: [zoneName, zoneType]
      properties:
        zoneName: {type: string}
        ownerRecordName: {type: string}
        zoneType: {enum: [DEFAULT_ZONE, REGULAR_CUSTOM_ZONE]}
    Zone:
      type: object
      additionalProperties: false
      required: [zoneID, atomic]
      properties:
        zoneID: {$ref: '#/components/schemas/ZoneID'}
        syncToken: {$ref: '#/components/schemas/SyncToken'}
        atomic: {type: boolean}
    DeletedZone:
      type: object
      additionalProperties: false
      required: [zoneID, deleted]
      properties: {zoneID: {$ref: '#/components/schemas/ZoneID'}, deleted: {const: true}}
    ModifyZonesRequest:
      type: object
      required: [operations]
      properties:
        operations:
          type: array
          maxItems: 2000
          items:
            type: object
            required: [operationType, zone]
            properties:
              operationType: {enum: [create, delete]}
              zone: {type: object, required: [zoneID], properties: {zoneID: {$ref: '#/components/schemas/NamedZone'}}}
    ModifyZonesAnswer:
      type: object
      additionalProperties: false
      required: [zones]
      properties:
        zones:
          type: array
          items:
            oneOf:
              - {$ref: '#/components/schemas/Zone'}
              - {$ref: '#/components/schemas/DeletedZone'}
              - {$ref: '#/components/schemas/ZoneError'}
    ListZonesAnswer:
      type: object
      additionalProperties: false
      required: [zones]
      properties: {zones: {type: array, items: {$ref: '#/components/schemas/Zone'}}}
    LookupZonesRequest:
      type: object
      required: [zones]
      properties: {zones: {type: array, maxItems: 2000, items: {$ref: '#/components/schemas/NamedZone'}}}
    LookupZonesAnswer:
      type: object
      additionalProperties: false
      required: [zones]
      properties:
        zones:
          type: array
          items: {oneOf: [{$ref: '#/components/schemas/Zone'}, {$ref: '#/components/schemas/ZoneError'}]}
    ZoneChangesQuery:
      type: object
      properties:
        zoneID: {$ref: '#/components/schemas/NamedZone'}
        syncToken: {type: string, description: 'Where the last page ended; without it: the beginning.'}
        desiredKeys: {$ref: '#/components/schemas/Keys'}
        desiredRecordTypes: {type: array, items: {type: string}}
        resultsLimit: {type: integer, minimum: 0, description: 'At most 1000; 0 is the default, 200.'}
        reverse:
          type: boolean
          description: >-
            The newest change first. A token in the middle of such a walk goes on backwards; the last one is the same as
            that of a walk forwards.
        numbersAsStrings: {type: boolean}
    ZoneChangesRequest:
      type: object
      description: What stands beside `zones` is the default of each of them.
      required: [zones]
      properties:
        zones: {type: array, maxItems: 2000, items: {$ref: '#/components/schemas/ZoneChangesQuery'}}
    ZoneChangesAnswer:
      type: object
      additionalProperties: false
      required: [zones]
      properties:
        zones:
          type: array
          items: {oneOf: [{$ref: '#/components/schemas/ZonePage'}, {$ref: '#/components/schemas/ZoneError'}]}
    ZonePage:
      type: object
      additionalProperties: false
      required: [zoneID, syncToken, moreComing, records]
      properties:
        zoneID: {$ref: '#/components/schemas/ZoneID'}
        syncToken: {$ref: '#/components/schemas/SyncToken'}
        moreComing: {type: boolean}
        records: {$ref: '#/components/schemas/ChangedRecords'}
    RecordChangesAnswer:
      type: object
      additionalProperties: false
      required: [syncToken, moreComing, records]
      properties:
        syncToken: {$ref: '#/components/schemas/SyncToken'}
        moreComing: {type: boolean}
        records: {$ref: '#/components/schemas/ChangedRecords'}
    ChangedRecords:
      type: array
      items: {oneOf: [{$ref: '#/components/schemas/Record'}, {$ref: '#/components/schemas/Tombstone'}]}
    DatabaseChangesRequest:
      type: object
      properties:
        syncToken: {type: string}
        resultsLimit: {type: integer, minimum: 0}
    DatabaseChangesAnswer:
      type: object
      additionalProperties: false
      required: [zones, syncToken, moreComing]
      properties:
        zones: {$ref: '#/components/schemas/ChangedZones'}
        syncToken: {$ref: '#/components/schemas/SyncToken'}
        moreComing: {type: boolean}
    ZonesChangesRequest:
      type: object
      properties:
        metaSyncToken: {type: string}
        resultsLimit: {type: integer, minimum: 0}
    ZonesChangesAnswer:
      type: object
      additionalProperties: false
      required: [zones, metaSyncToken, moreComing]
      properties:
        zones: {$ref: '#/components/schemas/ChangedZones'}
        metaSyncToken: {$ref: '#/components/schemas/SyncToken'}
        moreComing: {type: boolean}
    ChangedZones:
      type: array
      items:
        type: object
        additionalProperties: false
        required: [zoneID, deleted]
        properties:
          zoneID: {$ref: '#/components/schemas/ZoneID'}
          deleted: {type: boolean}
          deletionReason: {enum: [deleted, purged, encryptedDataReset]}
    UploadedAsset:
      type: object
      description: The value of a field in a save.
      additionalProperties: false
      required: [fileChecksum, size, receipt, referenceChecksum, wrappingKey]
      properties:
        fileChecksum: {$ref: '#/components/schemas/FileChecksum'}
        size: {type: integer, minimum: 0}
        receipt: {type: string, description: The proof of the upload; good for 24 hours in the same database.}
        referenceChecksum: {type: string}
        wrappingKey: {type: string}
    UploadAssetsRequest:
      type: object
      required: [tokens]
      properties:
        tokens:
          type: array
          maxItems: 2000
          items:
            type: object
            required: [fieldName]
            properties:
              recordType: {$ref: '#/components/schemas/FieldName'}
              fieldName: {$ref: '#/components/schemas/FieldName'}
              recordName: {$ref: '#/components/schemas/Name'}
              fileChecksum:
                type: string
                description: 'The SHA-256 of the file, as an asset has it or as 64 hexadecimal digits; goes with size.'
              size: {type: integer, minimum: 0, description: 'Bytes of the file; goes with fileChecksum.'}
              receipt: {type: string, description: 'A receipt that the user has for that file.'}
        zoneID: {$ref: '#/components/schemas/NamedZone'}
    UploadAssetsAnswer:
      type: object
      additionalProperties: false
      required: [tokens]
      properties:
        tokens:
          type: array
          items:
            type: object
            additionalProperties: false
            required: [recordName, fieldName]
            oneOf:
              - required: [url]
              - required: [singleFile]
            properties:
              recordName: {type: string}
              fieldName: {type: string}
              url: {type: string, pattern: '^https?://', description: 'Where the bytes go, by POST or PUT.'}
              singleFile: {$ref: '#/components/schemas/UploadedAsset'}
    AssetsRereferenceRequest:
      type: object
      required: [assets]
      properties:
        assets:
          type: array
          maxItems: 200
          items:
            type: object
            required: [recordName, fieldName]
            properties:
              recordName: {$ref: '#/components/schemas/Name'}
              fieldName: {$ref: '#/components/schemas/FieldName'}
        zoneID: {$ref: '#/components/schemas/NamedZone'}
        targetZoneID: {$ref: '#/components/schemas/NamedZone'}
    AssetsRereferenceAnswer:
      type: object
      additionalProperties: false
      required: [assets]
      properties:
        assets:
          type: array
          description: In the order of the request; of a field that is a list all of its assets.
          items: {$ref: '#/components/schemas/UploadedAsset'}
    ModifySubscriptionsRequest:
      type: object
      required: [operations]
      properties:
        operations:
          type: array
          items:
            type: object
            required: [operationType, subscription]
            properties:
              operationType: {enum: [create, update, delete]}
              subscription: {$ref: '#/components/schemas/SubscriptionToSave'}
    SubscriptionToSave:
      type: object
      properties:
        subscriptionID: {$ref: '#/components/schemas/Name'}
        subscriptionType:
          enum: [query, zone, database]
          description: A `zone` that is `zoneWide` is a `database`.
        zoneID: {$ref: '#/components/schemas/NamedZone'}
        recordType: {type: string, description: 'Of zones and databases: only changes of records of this type.'}
        query: {$ref: '#/components/schemas/Query'}
        firesOn: {type: array, items: {$ref: '#/components/schemas/FiringEvent'}, description: 'Of queries: at least one.'}
        firesOnce: {type: boolean, description: 'Of queries: it is gone when it has fired.'}
        zoneWide: {type: boolean, description: 'Of queries without a zone: false is the default zone only.'}
        notificationInfo: {$ref: '#/components/schemas/NotificationInfoToSave'}
    FiringEvent: {enum: [create, update, delete]}
    NotificationInfoToSave:
      type: object
      properties:
        alertBody: {type: string}
        alertLocalizationKey: {type: string}
        alertLocalizationArgs: {type: array, items: {type: string}}
        alertActionLocalizationKey: {type: string}
        alertLaunchImage: {type: string}
        title: {type: string}
        titleLocalizationKey: {type: string}
        titleLocalizationArgs: {type: array, items: {type: string}}
        subtitle: {type: string}
        subtitleLocalizationKey: {type: string}
        subtitleLocalizationArgs: {type: array, items: {type: string}}
        soundName: {type: string}
        category: {type: string}
        collapseIDKey: {type: string}
        additionalFields: {type: array, items: {type: string}}
        shouldBadge: {type: boolean}
        shouldSendContentAvailable: {type: boolean}
        shouldSendMutableContent: {type: boolean}
    NotificationInfo:
      description: As it was saved, with all flags and no key that Zonda does not know.
      allOf: [{$ref: '#/components/schemas/NotificationInfoToSave'}]
      required: [shouldBadge, shouldSendContentAvailable, shouldSendMutableContent]
      propertyNames:
        enum: [alertBody, alertLocalizationKey, alertLocalizationArgs, alertActionLocalizationKey, alertLaunchImage,
               title, titleLocalizationKey, titleLocalizationArgs, subtitle, subtitleLocalizationKey,
               subtitleLocalizationArgs, soundName, category, collapseIDKey, additionalFields, shouldBadge,
               shouldSendContentAvailable, shouldSendMutableContent]
    Subscription:
      oneOf:
        - {$ref: '#/components/schemas/QuerySubscription'}
        - {$ref: '#/components/schemas/ZoneSubscription'}
        - {$ref: '#/components/schemas/DatabaseSubscription'}
    QuerySubscription:
      type: object
      additionalProperties: false
      required: [subscriptionID, subscriptionType, query, firesOn, firesOnce, zoneWide]
      properties:
        subscriptionID: {$ref: '#/components/schemas/Name'}
        subscriptionType: {const: query}
        query: {$ref: '#/components/schemas/SavedQuery'}
        firesOn: {type: array, minItems: 1, items: {$ref: '#/components/schemas/FiringEvent'}}
        firesOnce: {type: boolean}
        zoneWide: {type: boolean}
        zoneID: {$ref: '#/components/schemas/ZoneID'}
        notificationInfo: {$ref: '#/components/schemas/NotificationInfo'}
    SavedQuery:
      type: object
      description: As Zonda writes what was saved, without sorts.
      additionalProperties: false
      required: [recordType]
      properties:
        recordType: {type: string}
        filterBy: {type: array, items: {$ref: '#/components/schemas/SavedFilter'}}
    SavedFilter:
      oneOf:
        - type: object
          additionalProperties: false
          required: [comparator]
          properties:
            comparator: {type: string}
            fieldName: {type: string}
            systemFieldName: {$ref: '#/components/schemas/SystemFieldName'}
            fieldValue: {$ref: '#/components/schemas/Field'}
            distance: {type: number, minimum: 0}
            options: {type: string}
        - {$ref: '#/components/schemas/JoinedFilters'}
    ZoneSubscription:
      type: object
      additionalProperties: false
      required: [subscriptionID, subscriptionType, zoneID]
      properties:
        subscriptionID: {$ref: '#/components/schemas/Name'}
        subscriptionType: {const: zone}
        zoneID: {$ref: '#/components/schemas/ZoneID'}
        recordType: {type: string}
        notificationInfo: {$ref: '#/components/schemas/NotificationInfo'}
    DatabaseSubscription:
      type: object
      additionalProperties: false
      required: [subscriptionID, subscriptionType]
      properties:
        subscriptionID: {$ref: '#/components/schemas/Name'}
        subscriptionType: {const: database}
        recordType: {type: string}
        notificationInfo: {$ref: '#/components/schemas/NotificationInfo'}
    ModifySubscriptionsAnswer:
      type: object
      additionalProperties: false
      required: [subscriptions]
      properties:
        subscriptions:
          type: array
          items:
            oneOf:
              - {$ref: '#/components/schemas/Subscription'}
              - type: object
                additionalProperties: false
                required: [subscriptionID, deleted]
                properties: {subscriptionID: {type: string}, deleted: {const: true}}
              - {$ref: '#/components/schemas/SubscriptionError'}
    ListSubscriptionsAnswer:
      type: object
      additionalProperties: false
      required: [subscriptions]
      properties: {subscriptions: {type: array, items: {$ref: '#/components/schemas/Subscription'}}}
    LookupSubscriptionsRequest:
      type: object
      required: [subscriptions]
      properties:
        subscriptions:
          type: array
          items: {type: object, required: [subscriptionID], properties: {subscriptionID: {type: string}}}
    LookupSubscriptionsAnswer:
      type: object
      additionalProperties: false
      required: [subscriptions]
      properties:
        subscriptions:
          type: array
          items:
            oneOf: [{$ref: '#/components/schemas/Subscription'}, {$ref: '#/components/schemas/SubscriptionError'}]
    APNSEnvironment: {enum: [development, production], description: The token's; independent of the records'.}
    ClientToken:
      type: string
      pattern: '^[A-Za-z0-9+/]{43}=$'
      description: 32 bytes in base64. Who has it reads what is told to whoever registered it.
    ClientRequest:
      type: object
      required: [apnsEnvironment]
      properties:
        apnsEnvironment: {$ref: '#/components/schemas/APNSEnvironment'}
        clientId:
          allOf: [{$ref: '#/components/schemas/Name'}]
          description: What the client calls itself in `zonda-client`; it does not hear its own changes.
    RegisterClientRequest:
      type: object
      required: [apnsEnvironment, apnsToken]
      properties:
        apnsEnvironment: {$ref: '#/components/schemas/APNSEnvironment'}
        apnsToken: {$ref: '#/components/schemas/ClientToken'}
        clientId: {$ref: '#/components/schemas/Name'}
    ClientAnswer:
      type: object
      additionalProperties: false
      required: [apnsEnvironment, apnsToken, webcourierURL]
      properties:
        apnsEnvironment: {$ref: '#/components/schemas/APNSEnvironment'}
        apnsToken: {$ref: '#/components/schemas/ClientToken'}
        webcourierURL:
          type: string
          pattern: '^https?://.*[?&]tok=[A-Za-z0-9_-]{43}&ttl=[0-9]+$'
          description: Where to poll, as it is. `ttl` is for how many seconds the registration lasts.

"""##
    static let page: StaticString = ##"""
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Zonda's gateway</title>
<style nonce="{{nonce}}">
:root { color-scheme: light dark; --line: #8886; --quiet: #777; }
body { max-width: 60rem; margin: 0 auto; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line); }
h3 { margin-top: 2rem; font-size: 1rem; }
code, pre { font: .9em ui-monospace, monospace; }
pre { padding: .75rem; border: 1px solid var(--line); border-radius: .4rem; overflow-x: auto; }
.method { display: inline-block; min-width: 3.2rem; font-weight: 700; text-transform: uppercase; }
.quiet { color: var(--quiet); }
table { border-collapse: collapse; width: 100%; }
th, td { padding: .25rem .5rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
</style>
</head>
<body>
<h1>Zonda's gateway</h1>
<p>CloudKit Web Services, served by Zonda. Clients that are written for them work here when they are given another host.</p>
<p><strong>Who asks</strong> is told by parameters of the URL: <code>ckAPIToken</code>, which an operator makes for a container's environment (<code>zonda token create</code>), and <code>ckWebAuthToken</code>, which a user gets by signing in. Whoever asks for what needs a user is answered 421 with <code>redirectURL</code>, the address of the sign-in page, and every answer to a user who is signed in carries the next token in <code>X-Apple-CloudKit-Web-Auth-Token</code>. Servers sign their requests with a key instead (<code>zonda key add</code>), which is good for the public database.</p>
<p><strong>Errors</strong> of a whole request have a status and a body with <code>serverErrorCode</code>; those of single items stand in the items' places in an answer with status 200.</p>
<p><strong>Leniency.</strong> Bodies are JSON whatever <code>Content-Type</code> says. Where an array of dictionaries is asked for, one dictionary stands for an array of one; null is the same as absence; keys that are not known are ignored.</p>
<p><strong>Open and closed.</strong> Schemas are closed (<code>additionalProperties: false</code>) where Zonda answers and open where you ask. Those that have a name in <code>asyncapi.yaml</code> too are the same there: the gateway hands bodies through. <code>Tests/Contract</code> holds this document against real answers.</p>
<p><a href="openapi.yaml">The whole document, for programs</a></p>
<nav><ul>
<li><a href="#records">records</a>: Saving, fetching and finding.</li>
<li><a href="#changes">changes</a>: What changed since a token.</li>
<li><a href="#zones">zones</a>: The parts of a database that change together.</li>
<li><a href="#assets">assets</a>: Files in records.</li>
<li><a href="#subscriptions">subscriptions</a>: What users are notified of.</li>
<li><a href="#clients">clients</a>: Where notifications arrive.</li>
<li><a href="#users">users</a>: Who the caller and others are.</li>
<li><a href="#sharing">sharing</a>: Not served yet.</li>
<li><a href="#pages">pages</a>: For people.</li>
<li><a href="#answers">common answers</a></li>
<li><a href="#schemas">types</a></li>
</ul></nav>
<h2 id="records">Records</h2>
<h3 id="queryRecords"><span class="method">post</span> <code>/database/1/{container}/{environment}/{database}/records/query</code></h3>
<p>Finds records by their fields; a page of them. The whole query is repeated with the marker of the page before.</p>
<p class="quiet">With apiToken or apiToken + webAuthToken or keyID + keyDate + keySignature.</p>
<table>
<tr><th>parameter</th><th>in</th><th></th></tr>
<tr><td><code>container</code></td><td>path</td><td><a href="#Container">Container</a> The container's identifier, percent-encoded.</td></tr>
<tr><td><code>environment</code></td><td>path</td><td><code>development</code> <code>production</code> </td></tr>
<tr><td><code>database</code></td><td>path</td><td><code>public</code> <code>private</code> <code>shared</code> The shared database is not served yet.</td></tr>
<tr><td><code>clientId</code></td><td>query</td><td>string What the client calls itself; it is not notified of its own changes.</td></tr>
<tr><td><code>getCurrentSyncToken</code></td><td>query</td><td>boolean Whether the answer has <code>syncToken</code>, the zone's.</td></tr>
</table>
<p>Body: <a href="#QueryRecordsRequest">QueryRecordsRequest</a></p>
<pre>query:
  recordType: Note
  filterBy:
  - fieldName: folder
    comparator: EQUALS
    fieldValue:
      value: inbox
      type: STRING
  sortBy:
  - systemFieldName: modifiedTimestamp
    ascending: false
resultsLimit: 20</pre>
<p>Answers: 200 <a href="#QueryRecordsAnswer">QueryRecordsAnswer</a> (A page), <a href="#BadRequest">400</a>, <a href="#AuthenticationFailed">401</a>, <a href="#AccessDenied">403</a>, <a href="#NotFound">404</a>, <a href="#MethodNotAllowed">405</a>, <a href="#TooLarge">413</a>, <a href="#SignInNeeded">421</a>, <a href="#Throttled">429</a>, <a href="#InternalError">500</a>, <a href="#TryAgainLater">503</a></p>
<h3 id="lookupRecords"><span class="method">post</span> <code>/database/1/{container}/{environment}/{database}/records/lookup</code></h3>
<p>Fetches records by name. A missing record is an item with an error.</p>
<p class="quiet">With apiToken or apiToken + webAuthToken or keyID + keyDate + keySignature.</p>
<table>
<tr><th>parameter</th><th>in</th><th></th></tr>
<tr><td><code>container</code></td><td>path</td><td><a href="#Container">Container</a> The container's identifier, percent-encoded.</td></tr>
<tr><td><code>environment</code></td><td>path</td><td><code>development</code> <code>production</code> </td></tr>
<tr><td><code>database</code></td><td>path</td><td><code>public</code> <code>private</code> <code>shared</code> The shared database is not served yet.</td></tr>
<tr><td><code>clientId</code></td><td>query</td><td>string What the client calls itself; it is not notified of its own changes.</td></tr>
<tr><td><code>getCurrentSyncToken</code></td><td>query</td><td>boolean Whether the answer has <code>syncToken</code>, the zone's.</td></tr>
</table>
<p>Body: <a href="#LookupRecordsRequest">LookupRecordsRequest</a></p>
<pre>records:
- recordName: n-0007</pre>
<p>Answers: 200 <a href="#LookupRecordsAnswer">LookupRecordsAnswer</a> (One item for each record asked for, in that order), <a href="#BadRequest">400</a>, <a href="#AuthenticationFailed">401</a>, <a href="#AccessDenied">403</a>, <a href="#NotFound">404</a>, <a href="#MethodNotAllowed">405</a>, <a href="#TooLarge">413</a>, <a href="#SignInNeeded">421</a>, <a href="#Throttled">429</a>, <a href="#InternalError">500</a>, <a href="#TryAgainLater">503</a></p>
<h3 id="modifyRecords"><span class="method">post</span> <code>/database/1/{container}/{environment}/{database}/records/modify</code></h3>
<p>Creates, changes and deletes records of one zone. In a custom zone all or nothing, unless <code>atomic</code> is false; in the default zone each operation by itself.</p>
<p class="quiet">With apiToken or apiToken + webAuthToken or keyID + keyDate + keySignature.</p>
<table>
<tr><th>parameter</th><th>in</th><th></th></tr>
<tr><td><code>container</code></td><td>path</td><td><a href="#Container">Container</a> The container's identifier, percent-encoded.</td></tr>
<tr><td><code>environment</code></td><td>path</td><td><code>development</code> <code>production</code> </td></tr>
<tr><td><code>database</code></td><td>path</td><td><code>public</code> <code>private</code> <code>shared</code> The shared database is not served yet.</td></tr>
<tr><td><code>clientId</code></td><td>query</td><td>string What the client calls itself; it is not notified of its own changes.</td></tr>
<tr><td><code>getCurrentSyncToken</code></td><td>query</td><td>boolean Whether the answer has <code>syncToken</code>, the zone's.</td></tr>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string The same for the repetition of a request, which is then not executed twice. Remembered for 24 hours.</td></tr>
</table>
<p>Body: <a href="#ModifyRecordsRequest">ModifyRecordsRequest</a></p>
<pre>operations:
- operationType: create
  record:
    recordType: Note
    recordName: n-0007
    fields:
      title:
        value: Milk</pre>
<p>Answers: 200 <a href="#ModifyRecordsAnswer">ModifyRecordsAnswer</a> (One item for each operation, in that order), <a href="#BadRequestOrAtomicFailure">400</a>, <a href="#AuthenticationFailed">401</a>, <a href="#AccessDenied">403</a>, <a href="#NotFound">404</a>, <a href="#MethodNotAllowed">405</a>, <a href="#Conflict">409</a>, <a href="#ReferenceViolation">412</a>, <a href="#TooLarge">413</a>, <a href="#SignInNeeded">421</a>, <a href="#Throttled">429</a>, <a href="#InternalError">500</a>, <a href="#TryAgainLater">503</a></p>
<h3 id="recordChanges"><span class="method">post</span> <code>/database/1/{container}/{environment}/{database}/records/changes</code></h3>
<p>A page of one zone's change feed; the older form of <code>changes/zone</code>. </p>
<p class="quiet">Deprecated; older clients ask it.</p>
<p class="quiet">With apiToken + webAuthToken.</p>
<table>
<tr><th>parameter</th><th>in</th><th></th></tr>
<tr><td><code>container</code></td><td>path</td><td><a href="#Container">Container</a> The container's identifier, percent-encoded.</td></tr>
<tr><td><code>environment</code></td><td>path</td><td><code>development</code> <code>production</code> </td></tr>
<tr><td><code>database</code></td><td>path</td><td><code>private</code> <code>shared</code> The shared database is not served yet.</td></tr>
<tr><td><code>clientId</code></td><td>query</td><td>string What the client calls itself; it is not notified of its own changes.</td></tr>
</table>
<p>Body: <a href="#RecordChangesRequest">RecordChangesRequest</a></p>
<pre>zoneID:
  zoneName: Drafts</pre>
<p>Answers: 200 <a href="#RecordChangesAnswer">RecordChangesAnswer</a> (A page), <a href="#BadRequest">400</a>, <a href="#AuthenticationFailed">401</a>, <a href="#AccessDenied">403</a>, <a href="#NotFound">404</a>, <a href="#MethodNotAllowed">405</a>, <a href="#TooLarge">413</a>, <a href="#SignInNeeded">421</a>, <a href="#Throttled">429</a>, <a href="#InternalError">500</a>, <a href="#TryAgainLater">503</a></p>
<h2 id="changes">Changes</h2>
<h3 id="databaseChanges"><span class="method">post</span> <code>/database/1/{container}/{environment}/{database}/changes/database</code></h3>
<p>The zones that changed, were made or were deleted since a token. </p>
<p class="quiet">With apiToken + webAuthToken.</p>
<table>
<tr><th>parameter</th><th>in</th><th></th></tr>
<tr><td><code>container</code></td><td>path</td><td><a href="#Container">Container</a> The container's identifier, percent-encoded.</td></tr>
<tr><td><code>environment</code></td><td>path</td><td><code>development</code> <code>production</code> </td></tr>
<tr><td><code>database</code></td><td>path</td><td><code>private</code> <code>shared</code> The shared database is not served yet.</td></tr>
<tr><td><code>clientId</code></td><td>query</td><td>string What the client calls itself; it is not notified of its own changes.</td></tr>
</table>
<p>Body: <a href="#DatabaseChangesRequest">DatabaseChangesRequest</a></p>
<pre>{}</pre>
<p>Answers: 200 <a href="#DatabaseChangesAnswer">DatabaseChangesAnswer</a> (A page), <a href="#BadRequest">400</a>, <a href="#AuthenticationFailed">401</a>, <a href="#AccessDenied">403</a>, <a href="#NotFound">404</a>, <a href="#MethodNotAllowed">405</a>, <a href="#TooLarge">413</a>, <a href="#SignInNeeded">421</a>, <a href="#Throttled">429</a>, <a href="#InternalError">500</a>, <a href="#TryAgainLater">503</a></p>
<h3 id="zoneChanges"><span class="method">post</span> <code>/database/1/{container}/{environment}/{database}/changes/zone</code></h3>
<p>A page of the change feed of each of several zones. Every record once, in its newest state.</p>
<p class="quiet">With apiToken + webAuthToken.</p>
<table>
<tr><th>parameter</th><th>in</th><th></th></tr>
<tr><td><code>container</code></td><td>path</td><td><a href="#Container">Container</a> The container's identifier, percent-encoded.</td></tr>
<tr><td><code>environment</code></td><td>path</td><td><code>development</code> <code>production</code> </td></tr>
<tr><td><code>database</code></td><td>path</td><td><code>private</code> <code>shared</code> The shared database is not served yet.</td></tr>
<tr><td><code>clientId</code></td><td>query</td><td>string What the client calls itself; it is not notified of its own changes.</td></tr>
</table>
<p>Body: <a href="#ZoneChangesRequest">ZoneChangesRequest</a></p>
<pre>zones:
- zoneID:
    zoneName: Drafts</pre>
<p>Answers: 200 <a href="#ZoneChangesAnswer">ZoneChangesAnswer</a> (One page or error for each zone, in that order), <a href="#BadRequest">400</a>, <a href="#AuthenticationFailed">401</a>, <a href="#AccessDenied">403</a>, <a href="#NotFound">404</a>, <a href="#MethodNotAllowed">405</a>, <a href="#TooLarge">413</a>, <a href="#SignInNeeded">421</a>, <a href="#Throttled">429</a>, <a href="#InternalError">500</a>, <a href="#TryAgainLater">503</a></p>
<h2 id="zones">Zones</h2>
<h3 id="listZones"><span class="method">get</span> <code>/database/1/{container}/{environment}/{database}/zones/list</code></h3>
<p>All zones of the database. </p>
<p class="quiet">With apiToken + webAuthToken or keyID + keyDate + keySignature.</p>
<table>
<tr><th>parameter</th><th>in</th><th></th></tr>
<tr><td><code>container</code></td><td>path</td><td><a href="#Container">Container</a> The container's identifier, percent-encoded.</td></tr>
<tr><td><code>environment</code></td><td>path</td><td><code>development</code> <code>production</code> </td></tr>
<tr><td><code>database</code></td><td>path</td><td><code>public</code> <code>private</code> <code>shared</code> The shared database is not served yet.</td></tr>
<tr><td><code>clientId</code></td><td>query</td><td>string What the client calls itself; it is not notified of its own changes.</td></tr>
</table>
<p>Answers: 200 <a href="#ListZonesAnswer">ListZonesAnswer</a> (The zones), <a href="#BadRequest">400</a>, <a href="#AuthenticationFailed">401</a>, <a href="#AccessDenied">403</a>, <a href="#NotFound">404</a>, <a href="#MethodNotAllowed">405</a>, <a href="#TooLarge">413</a>, <a href="#SignInNeeded">421</a>, <a href="#Throttled">429</a>, <a href="#InternalError">500</a>, <a href="#TryAgainLater">503</a></p>
<h3 id="listZonesByPost"><span class="method">post</span> <code>/database/1/{container}/{environment}/{database}/zones/list</code></h3>
<p>All zones of the database. The same as <code>GET</code>.</p>
<p class="quiet">With apiToken + webAuthToken or keyID + keyDate + keySignature.</p>
<table>
<tr><th>parameter</th><th>in</th><th></th></tr>
<tr><td><code>container</code></td><td>path</td><td><a href="#Container">Container</a> The container's identifier, percent-encoded.</td></tr>
<tr><td><code>environment</code></td><td>path</td><td><code>development</code> <code>production</code> </td></tr>
<tr><td><code>database</code></td><td>path</td><td><code>public</code> <code>private</code> <code>shared</code> The shared database is not served yet.</td></tr>
<tr><td><code>clientId</code></td><td>query</td><td>string What the client calls itself; it is not notified of its own changes.</td></tr>
</table>
<p>Body: <a href="#EmptyRequest">EmptyRequest</a></p>
<pre>{}</pre>
<p>Answers: 200 <a href="#ListZonesAnswer">ListZonesAnswer</a> (The zones), <a href="#BadRequest">400</a>, <a href="#AuthenticationFailed">401</a>, <a href="#AccessDenied">403</a>, <a href="#NotFound">404</a>, <a href="#MethodNotAllowed">405</a>, <a href="#TooLarge">413</a>, <a href="#SignInNeeded">421</a>, <a href="#Throttled">429</a>, <a href="#InternalError">500</a>, <a href="#TryAgainLater">503</a></p>
<h3 id="lookupZones"><span class="method">post</span> <code>/database/1/{container}/{environment}/{database}/zones/lookup</code></h3>
<p>Zones by name. </p>
<p class="quiet">With apiToken + webAuthToken or keyID + keyDate + keySignature.</p>
<table>
<tr><th>parameter</th><th>in</th><th></th></tr>
<tr><td><code>container</code></td><td>path</td><td><a href="#Container">Container</a> The container's identifier, percent-encoded.</td></tr>
<tr><td><code>environment</code></td><td>path</td><td><code>development</code> <code>production</code> </td></tr>
<tr><td><code>database</code></td><td>path</td><td><code>public</code> <code>private</code> <code>shared</code> The shared database is not served yet.</td></tr>
<tr><td><code>clientId</code></td><td>query</td><td>string What the client calls itself; it is not notified of its own changes.</td></tr>
</table>
<p>Body: <a href="#LookupZonesRequest">LookupZonesRequest</a></p>
<pre>zones:
- zoneName: Drafts</pre>
<p>Answers: 200 <a href="#LookupZonesAnswer">LookupZonesAnswer</a> (One item for each zone asked for, in that order), <a href="#BadRequest">400</a>, <a href="#AuthenticationFailed">401</a>, <a href="#AccessDenied">403</a>, <a href="#NotFound">404</a>, <a href="#MethodNotAllowed">405</a>, <a href="#TooLarge">413</a>, <a href="#SignInNeeded">421</a>, <a href="#Throttled">429</a>, <a href="#InternalError">500</a>, <a href="#TryAgainLater">503</a></p>
<h3 id="modifyZones"><span class="method">post</span> <code>/database/1/{container}/{environment}/{database}/zones/modify</code></h3>
<p>Creates and deletes zones of a private database. </p>
<p class="quiet">With apiToken + webAuthToken or keyID + keyDate + keySignature.</p>
<table>
<tr><th>parameter</th><th>in</th><th></th></tr>
<tr><td><code>container</code></td><td>path</td><td><a href="#Container">Container</a> The container's identifier, percent-encoded.</td></tr>
<tr><td><code>environment</code></td><td>path</td><td><code>development</code> <code>production</code> </td></tr>
<tr><td><code>database</code></td><td>path</td><td><code>public</code> <code>private</code> <code>shared</code> The shared database is not served yet.</td></tr>
<tr><td><code>clientId</code></td><td>query</td><td>string What the client calls itself; it is not notified of its own changes.</td></tr>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string The same for the repetition of a request, which is then not executed twice. Remembered for 24 hours.</td></tr>
</table>
<p>Body: <a href="#ModifyZonesRequest">ModifyZonesRequest</a></p>
<pre>operations:
- operationType: create
  zone:
    zoneID:
      zoneName: Drafts</pre>
<p>Answers: 200 <a href="#ModifyZonesAnswer">ModifyZonesAnswer</a> (One item for each operation, in that order), <a href="#BadRequest">400</a>, <a href="#AuthenticationFailed">401</a>, <a href="#AccessDenied">403</a>, <a href="#NotFound">404</a>, <a href="#MethodNotAllowed">405</a>, <a href="#Conflict">409</a>, <a href="#TooLarge">413</a>, <a href="#SignInNeeded">421</a>, <a href="#Throttled">429</a>, <a href="#InternalError">500</a>, <a href="#TryAgainLater">503</a></p>
<h3 id="zonesChanges"><span class="method">post</span> <code>/database/1/{container}/{environment}/{database}/zones/changes</code></h3>
<p>The older form of <code>changes/database</code>, with its own name for the token. </p>
<p class="quiet">Deprecated; older clients ask it.</p>
<p class="quiet">With apiToken + webAuthToken.</p>
<table>
<tr><th>parameter</th><th>in</th><th></th></tr>
<tr><td><code>container</code></td><td>path</td><td><a href="#Container">Container</a> The container's identifier, percent-encoded.</td></tr>
<tr><td><code>environment</code></td><td>path</td><td><code>development</code> <code>production</code> </td></tr>
<tr><td><code>database</code></td><td>path</td><td><code>private</code> <code>shared</code> The shared database is not served yet.</td></tr>
<tr><td><code>clientId</code></td><td>query</td><td>string What the client calls itself; it is not notified of its own changes.</td></tr>
</table>
<p>Body: <a href="#ZonesChangesRequest">ZonesChangesRequest</a></p>
<pre>{}</pre>
<p>Answers: 200 <a href="#ZonesChangesAnswer">ZonesChangesAnswer</a> (A page), <a href="#BadRequest">400</a>, <a href="#AuthenticationFailed">401</a>, <a href="#AccessDenied">403</a>, <a href="#NotFound">404</a>, <a href="#MethodNotAllowed">405</a>, <a href="#TooLarge">413</a>, <a href="#SignInNeeded">421</a>, <a href="#Throttled">429</a>, <a href="#InternalError">500</a>, <a href="#TryAgainLater">503</a></p>
<h2 id="assets">Assets</h2>
<h3 id="uploadAssets"><span class="method">post</span> <code>/database/1/{container}/{environment}/{database}/assets/upload</code></h3>
<p>Addresses to which the bytes of assets go. </p>
<p class="quiet">With apiToken + webAuthToken or keyID + keyDate + keySignature.</p>
<table>
<tr><th>parameter</th><th>in</th><th></th></tr>
<tr><td><code>container</code></td><td>path</td><td><a href="#Container">Container</a> The container's identifier, percent-encoded.</td></tr>
<tr><td><code>environment</code></td><td>path</td><td><code>development</code> <code>production</code> </td></tr>
<tr><td><code>database</code></td><td>path</td><td><code>public</code> <code>private</code> <code>shared</code> The shared database is not served yet.</td></tr>
<tr><td><code>clientId</code></td><td>query</td><td>string What the client calls itself; it is not notified of its own changes.</td></tr>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string The same for the repetition of a request, which is then not executed twice. Remembered for 24 hours.</td></tr>
</table>
<p>Body: <a href="#UploadAssetsRequest">UploadAssetsRequest</a></p>
<pre>tokens:
- recordType: Note
  fieldName: photo</pre>
<p>Answers: 200 <a href="#UploadAssetsAnswer">UploadAssetsAnswer</a> (One address for each token, in that order), <a href="#BadRequest">400</a>, <a href="#AuthenticationFailed">401</a>, <a href="#AccessDenied">403</a>, <a href="#NotFound">404</a>, <a href="#MethodNotAllowed">405</a>, <a href="#TooLarge">413</a>, <a href="#SignInNeeded">421</a>, <a href="#Throttled">429</a>, <a href="#InternalError">500</a>, <a href="#TryAgainLater">503</a></p>
<h3 id="rereferenceAssets"><span class="method">post</span> <code>/database/1/{container}/{environment}/{database}/assets/rereference</code></h3>
<p>Assets of existing records, to be saved in other records too. </p>
<p class="quiet">With apiToken + webAuthToken or keyID + keyDate + keySignature.</p>
<table>
<tr><th>parameter</th><th>in</th><th></th></tr>
<tr><td><code>container</code></td><td>path</td><td><a href="#Container">Container</a> The container's identifier, percent-encoded.</td></tr>
<tr><td><code>environment</code></td><td>path</td><td><code>development</code> <code>production</code> </td></tr>
<tr><td><code>database</code></td><td>path</td><td><code>public</code> <code>private</code> <code>shared</code> The shared database is not served yet.</td></tr>
<tr><td><code>clientId</code></td><td>query</td><td>string What the client calls itself; it is not notified of its own changes.</td></tr>
</table>
<p>Body: <a href="#AssetsRereferenceRequest">AssetsRereferenceRequest</a></p>
<pre>assets:
- recordName: n-0007
  fieldName: photo</pre>
<p>Answers: 200 <a href="#AssetsRereferenceAnswer">AssetsRereferenceAnswer</a> (One asset for each field, in that order), <a href="#BadRequest">400</a>, <a href="#AuthenticationFailed">401</a>, <a href="#AccessDenied">403</a>, <a href="#NotFound">404</a>, <a href="#MethodNotAllowed">405</a>, <a href="#TooLarge">413</a>, <a href="#SignInNeeded">421</a>, <a href="#Throttled">429</a>, <a href="#InternalError">500</a>, <a href="#TryAgainLater">503</a></p>
<h2 id="subscriptions">Subscriptions</h2>
<h3 id="listSubscriptions"><span class="method">get</span> <code>/database/1/{container}/{environment}/{database}/subscriptions/list</code></h3>
<p>All subscriptions of the user in the database. </p>
<p class="quiet">With apiToken + webAuthToken or keyID + keyDate + keySignature.</p>
<table>
<tr><th>parameter</th><th>in</th><th></th></tr>
<tr><td><code>container</code></td><td>path</td><td><a href="#Container">Container</a> The container's identifier, percent-encoded.</td></tr>
<tr><td><code>environment</code></td><td>path</td><td><code>development</code> <code>production</code> </td></tr>
<tr><td><code>database</code></td><td>path</td><td><code>public</code> <code>private</code> <code>shared</code> The shared database is not served yet.</td></tr>
<tr><td><code>clientId</code></td><td>query</td><td>string What the client calls itself; it is not notified of its own changes.</td></tr>
</table>
<p>Answers: 200 <a href="#ListSubscriptionsAnswer">ListSubscriptionsAnswer</a> (The subscriptions), <a href="#BadRequest">400</a>, <a href="#AuthenticationFailed">401</a>, <a href="#AccessDenied">403</a>, <a href="#NotFound">404</a>, <a href="#MethodNotAllowed">405</a>, <a href="#TooLarge">413</a>, <a href="#SignInNeeded">421</a>, <a href="#Throttled">429</a>, <a href="#InternalError">500</a>, <a href="#TryAgainLater">503</a></p>
<h3 id="listSubscriptionsByPost"><span class="method">post</span> <code>/database/1/{container}/{environment}/{database}/subscriptions/list</code></h3>
<p>All subscriptions of the user in the database. The same as <code>GET</code>.</p>
<p class="quiet">With apiToken + webAuthToken or keyID + keyDate + keySignature.</p>
<table>
<tr><th>parameter</th><th>in</th><th></th></tr>
<tr><td><code>container</code></td><td>path</td><td><a href="#Container">Container</a> The container's identifier, percent-encoded.</td></tr>
<tr><td><code>environment</code></td><td>path</td><td><code>development</code> <code>production</code> </td></tr>
<tr><td><code>database</code></td><td>path</td><td><code>public</code> <code>private</code> <code>shared</code> The shared database is not served yet.</td></tr>
<tr><td><code>clientId</code></td><td>query</td><td>string What the client calls itself; it is not notified of its own changes.</td></tr>
</table>
<p>Body: <a href="#EmptyRequest">EmptyRequest</a></p>
<pre>{}</pre>
<p>Answers: 200 <a href="#ListSubscriptionsAnswer">ListSubscriptionsAnswer</a> (The subscriptions), <a href="#BadRequest">400</a>, <a href="#AuthenticationFailed">401</a>, <a href="#AccessDenied">403</a>, <a href="#NotFound">404</a>, <a href="#MethodNotAllowed">405</a>, <a href="#TooLarge">413</a>, <a href="#SignInNeeded">421</a>, <a href="#Throttled">429</a>, <a href="#InternalError">500</a>, <a href="#TryAgainLater">503</a></p>
<h3 id="lookupSubscriptions"><span class="method">post</span> <code>/database/1/{container}/{environment}/{database}/subscriptions/lookup</code></h3>
<p>Subscriptions by their IDs. </p>
<p class="quiet">With apiToken + webAuthToken or keyID + keyDate + keySignature.</p>
<table>
<tr><th>parameter</th><th>in</th><th></th></tr>
<tr><td><code>container</code></td><td>path</td><td><a href="#Container">Container</a> The container's identifier, percent-encoded.</td></tr>
<tr><td><code>environment</code></td><td>path</td><td><code>development</code> <code>production</code> </td></tr>
<tr><td><code>database</code></td><td>path</td><td><code>public</code> <code>private</code> <code>shared</code> The shared database is not served yet.</td></tr>
<tr><td><code>clientId</code></td><td>query</td><td>string What the client calls itself; it is not notified of its own changes.</td></tr>
</table>
<p>Body: <a href="#LookupSubscriptionsRequest">LookupSubscriptionsRequest</a></p>
<pre>subscriptions:
- subscriptionID: inbox-watch</pre>
<p>Answers: 200 <a href="#LookupSubscriptionsAnswer">LookupSubscriptionsAnswer</a> (One item for each, in that order), <a href="#BadRequest">400</a>, <a href="#AuthenticationFailed">401</a>, <a href="#AccessDenied">403</a>, <a href="#NotFound">404</a>, <a href="#MethodNotAllowed">405</a>, <a href="#TooLarge">413</a>, <a href="#SignInNeeded">421</a>, <a href="#Throttled">429</a>, <a href="#InternalError">500</a>, <a href="#TryAgainLater">503</a></p>
<h3 id="modifySubscriptions"><span class="method">post</span> <code>/database/1/{container}/{environment}/{database}/subscriptions/modify</code></h3>
<p>Saves and deletes subscriptions. </p>
<p class="quiet">With apiToken + webAuthToken or keyID + keyDate + keySignature.</p>
<table>
<tr><th>parameter</th><th>in</th><th></th></tr>
<tr><td><code>container</code></td><td>path</td><td><a href="#Container">Container</a> The container's identifier, percent-encoded.</td></tr>
<tr><td><code>environment</code></td><td>path</td><td><code>development</code> <code>production</code> </td></tr>
<tr><td><code>database</code></td><td>path</td><td><code>public</code> <code>private</code> <code>shared</code> The shared database is not served yet.</td></tr>
<tr><td><code>clientId</code></td><td>query</td><td>string What the client calls itself; it is not notified of its own changes.</td></tr>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string The same for the repetition of a request, which is then not executed twice. Remembered for 24 hours.</td></tr>
</table>
<p>Body: <a href="#ModifySubscriptionsRequest">ModifySubscriptionsRequest</a></p>
<pre>operations:
- operationType: create
  subscription:
    subscriptionID: inbox-watch
    subscriptionType: query
    query:
      recordType: Note
    firesOn:
    - create
    - update
    notificationInfo:
      alertBody: Inbox changed</pre>
<p>Answers: 200 <a href="#ModifySubscriptionsAnswer">ModifySubscriptionsAnswer</a> (One item for each operation, in that order), <a href="#BadRequest">400</a>, <a href="#AuthenticationFailed">401</a>, <a href="#AccessDenied">403</a>, <a href="#NotFound">404</a>, <a href="#MethodNotAllowed">405</a>, <a href="#Conflict">409</a>, <a href="#TooLarge">413</a>, <a href="#SignInNeeded">421</a>, <a href="#Throttled">429</a>, <a href="#InternalError">500</a>, <a href="#TryAgainLater">503</a></p>
<h2 id="clients">Clients</h2>
<h3 id="createToken"><span class="method">post</span> <code>/device/1/{container}/{environment}/tokens/create</code></h3>
<p>Makes a token, and registers the client with it. Also under <code>/database/1/{container}/{environment}/{database}/tokens/create</code>, with and without the database.</p>
<p class="quiet">With apiToken + webAuthToken or keyID + keyDate + keySignature.</p>
<table>
<tr><th>parameter</th><th>in</th><th></th></tr>
<tr><td><code>container</code></td><td>path</td><td><a href="#Container">Container</a> The container's identifier, percent-encoded.</td></tr>
<tr><td><code>environment</code></td><td>path</td><td><code>development</code> <code>production</code> </td></tr>
<tr><td><code>clientId</code></td><td>query</td><td>string What the client calls itself; it is not notified of its own changes.</td></tr>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string The same for the repetition of a request, which is then not executed twice. Remembered for 24 hours.</td></tr>
</table>
<p>Body: <a href="#ClientRequest">ClientRequest</a></p>
<pre>apnsEnvironment: development</pre>
<p>Answers: 200 <a href="#ClientAnswer">ClientAnswer</a> (The token, and where to poll), <a href="#BadRequest">400</a>, <a href="#AuthenticationFailed">401</a>, <a href="#AccessDenied">403</a>, <a href="#NotFound">404</a>, <a href="#MethodNotAllowed">405</a>, <a href="#TooLarge">413</a>, <a href="#SignInNeeded">421</a>, <a href="#Throttled">429</a>, <a href="#InternalError">500</a>, <a href="#TryAgainLater">503</a></p>
<h3 id="registerToken"><span class="method">post</span> <code>/device/1/{container}/{environment}/tokens/register</code></h3>
<p>Registers a token in one more container or environment, or once more, which renews it. Also under <code>/database/…</code>, as <code>tokens/create</code>.</p>
<p class="quiet">With apiToken + webAuthToken or keyID + keyDate + keySignature.</p>
<table>
<tr><th>parameter</th><th>in</th><th></th></tr>
<tr><td><code>container</code></td><td>path</td><td><a href="#Container">Container</a> The container's identifier, percent-encoded.</td></tr>
<tr><td><code>environment</code></td><td>path</td><td><code>development</code> <code>production</code> </td></tr>
<tr><td><code>clientId</code></td><td>query</td><td>string What the client calls itself; it is not notified of its own changes.</td></tr>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string The same for the repetition of a request, which is then not executed twice. Remembered for 24 hours.</td></tr>
</table>
<p>Body: <a href="#RegisterClientRequest">RegisterClientRequest</a></p>
<pre>apnsEnvironment: development
apnsToken: q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=</pre>
<p>Answers: 200 <a href="#ClientAnswer">ClientAnswer</a> (The token, and where to poll), <a href="#BadRequest">400</a>, <a href="#AuthenticationFailed">401</a>, <a href="#AccessDenied">403</a>, <a href="#NotFound">404</a>, <a href="#MethodNotAllowed">405</a>, <a href="#TooLarge">413</a>, <a href="#SignInNeeded">421</a>, <a href="#Throttled">429</a>, <a href="#InternalError">500</a>, <a href="#TryAgainLater">503</a></p>
<h3 id="awaitNotification"><span class="method">get</span> <code>/courier</code></h3>
<p>The next notification of a registered client. The request is held until there is one; <code>null</code> says that there was none for a while. With <code>Accept: text/event-stream</code> the connection stays, and each notification is an event whose <code>data</code> is the same object. The address is that of <code>webcourierURL</code>, as it is.</p>
<table>
<tr><th>parameter</th><th>in</th><th></th></tr>
<tr><td><code>tok</code></td><td>query</td><td>string The client's token, in the alphabet of URLs.</td></tr>
<tr><td><code>ttl</code></td><td>query</td><td>string As in <code>webcourierURL</code>; ignored.</td></tr>
<tr><td><code>Last-Event-ID</code></td><td>header</td><td>string The last event that arrived before the connection was lost.</td></tr>
</table>
<p>Answers: 200 <a href="#NotificationOrNull">NotificationOrNull</a> string (A notification, or null), <a href="#BadRequest">400</a>, <a href="#AuthenticationFailed">401</a>, <a href="#AccessDenied">403</a>, <a href="#NotFound">404</a>, <a href="#MethodNotAllowed">405</a>, <a href="#Conflict">409</a>, <a href="#Throttled">429</a>, <a href="#InternalError">500</a>, <a href="#TryAgainLater">503</a></p>
<h2 id="users">Users</h2>
<h3 id="caller"><span class="method">get</span> <code>/database/1/{container}/{environment}/{database}/users/caller</code></h3>
<p>Who the caller is. Without a sign-in: 421 with the address of the sign-in page. For a server-to-server key its own name alone.</p>
<p class="quiet">With apiToken + webAuthToken or keyID + keyDate + keySignature.</p>
<table>
<tr><th>parameter</th><th>in</th><th></th></tr>
<tr><td><code>container</code></td><td>path</td><td><a href="#Container">Container</a> The container's identifier, percent-encoded.</td></tr>
<tr><td><code>environment</code></td><td>path</td><td><code>development</code> <code>production</code> </td></tr>
<tr><td><code>database</code></td><td>path</td><td><code>public</code> <code>private</code> </td></tr>
<tr><td><code>clientId</code></td><td>query</td><td>string What the client calls itself; it is not notified of its own changes.</td></tr>
</table>
<p>Answers: 200 <a href="#CallerAnswer">CallerAnswer</a> (The identity, and the same within <code>users</code>), <a href="#BadRequest">400</a>, <a href="#AuthenticationFailed">401</a>, <a href="#AccessDenied">403</a>, <a href="#NotFound">404</a>, <a href="#MethodNotAllowed">405</a>, <a href="#TooLarge">413</a>, <a href="#SignInNeeded">421</a>, <a href="#Throttled">429</a>, <a href="#InternalError">500</a>, <a href="#TryAgainLater">503</a></p>
<h3 id="callerByPost"><span class="method">post</span> <code>/database/1/{container}/{environment}/{database}/users/caller</code></h3>
<p>Who the caller is. The same as <code>GET</code>.</p>
<p class="quiet">With apiToken + webAuthToken or keyID + keyDate + keySignature.</p>
<table>
<tr><th>parameter</th><th>in</th><th></th></tr>
<tr><td><code>container</code></td><td>path</td><td><a href="#Container">Container</a> The container's identifier, percent-encoded.</td></tr>
<tr><td><code>environment</code></td><td>path</td><td><code>development</code> <code>production</code> </td></tr>
<tr><td><code>database</code></td><td>path</td><td><code>public</code> <code>private</code> </td></tr>
<tr><td><code>clientId</code></td><td>query</td><td>string What the client calls itself; it is not notified of its own changes.</td></tr>
</table>
<p>Body: <a href="#EmptyRequest">EmptyRequest</a></p>
<pre>{}</pre>
<p>Answers: 200 <a href="#CallerAnswer">CallerAnswer</a> (The identity, and the same within <code>users</code>), <a href="#BadRequest">400</a>, <a href="#AuthenticationFailed">401</a>, <a href="#AccessDenied">403</a>, <a href="#NotFound">404</a>, <a href="#MethodNotAllowed">405</a>, <a href="#TooLarge">413</a>, <a href="#SignInNeeded">421</a>, <a href="#Throttled">429</a>, <a href="#InternalError">500</a>, <a href="#TryAgainLater">503</a></p>
<h3 id="currentUser"><span class="method">get</span> <code>/database/1/{container}/{environment}/{database}/users/current</code></h3>
<p>Who the caller is, in the older form. </p>
<p class="quiet">Deprecated; older clients ask it.</p>
<p class="quiet">With apiToken + webAuthToken or keyID + keyDate + keySignature.</p>
<table>
<tr><th>parameter</th><th>in</th><th></th></tr>
<tr><td><code>container</code></td><td>path</td><td><a href="#Container">Container</a> The container's identifier, percent-encoded.</td></tr>
<tr><td><code>environment</code></td><td>path</td><td><code>development</code> <code>production</code> </td></tr>
<tr><td><code>database</code></td><td>path</td><td><code>public</code> <code>private</code> </td></tr>
<tr><td><code>clientId</code></td><td>query</td><td>string What the client calls itself; it is not notified of its own changes.</td></tr>
</table>
<p>Answers: 200 <a href="#UserDictionary">UserDictionary</a> (The user), <a href="#BadRequest">400</a>, <a href="#AuthenticationFailed">401</a>, <a href="#AccessDenied">403</a>, <a href="#NotFound">404</a>, <a href="#MethodNotAllowed">405</a>, <a href="#TooLarge">413</a>, <a href="#SignInNeeded">421</a>, <a href="#Throttled">429</a>, <a href="#InternalError">500</a>, <a href="#TryAgainLater">503</a></p>
<h3 id="currentUserByPost"><span class="method">post</span> <code>/database/1/{container}/{environment}/{database}/users/current</code></h3>
<p>Who the caller is, in the older form. The same as <code>GET</code>.</p>
<p class="quiet">Deprecated; older clients ask it.</p>
<p class="quiet">With apiToken + webAuthToken or keyID + keyDate + keySignature.</p>
<table>
<tr><th>parameter</th><th>in</th><th></th></tr>
<tr><td><code>container</code></td><td>path</td><td><a href="#Container">Container</a> The container's identifier, percent-encoded.</td></tr>
<tr><td><code>environment</code></td><td>path</td><td><code>development</code> <code>production</code> </td></tr>
<tr><td><code>database</code></td><td>path</td><td><code>public</code> <code>private</code> </td></tr>
<tr><td><code>clientId</code></td><td>query</td><td>string What the client calls itself; it is not notified of its own changes.</td></tr>
</table>
<p>Body: <a href="#EmptyRequest">EmptyRequest</a></p>
<pre>{}</pre>
<p>Answers: 200 <a href="#UserDictionary">UserDictionary</a> (The user), <a href="#BadRequest">400</a>, <a href="#AuthenticationFailed">401</a>, <a href="#AccessDenied">403</a>, <a href="#NotFound">404</a>, <a href="#MethodNotAllowed">405</a>, <a href="#TooLarge">413</a>, <a href="#SignInNeeded">421</a>, <a href="#Throttled">429</a>, <a href="#InternalError">500</a>, <a href="#TryAgainLater">503</a></p>
<h3 id="signOut"><span class="method">post</span> <code>/database/1/{container}/{environment}/{database}/users/signOut</code></h3>
<p>Ends the sign-in by which it is asked. Not part of Apple's service. All web auth tokens of the sign-in are refused from now on, by other gateways within five seconds, and the clients that it registered for notifications are forgotten. Other sign-ins of the user stay.</p>
<p class="quiet">With apiToken + webAuthToken.</p>
<table>
<tr><th>parameter</th><th>in</th><th></th></tr>
<tr><td><code>container</code></td><td>path</td><td><a href="#Container">Container</a> The container's identifier, percent-encoded.</td></tr>
<tr><td><code>environment</code></td><td>path</td><td><code>development</code> <code>production</code> </td></tr>
<tr><td><code>database</code></td><td>path</td><td><code>public</code> <code>private</code> </td></tr>
<tr><td><code>clientId</code></td><td>query</td><td>string What the client calls itself; it is not notified of its own changes.</td></tr>
</table>
<p>Body: <a href="#EmptyRequest">EmptyRequest</a></p>
<pre>{}</pre>
<p>Answers: 200 object (The sign-in has ended), <a href="#BadRequest">400</a>, <a href="#AuthenticationFailed">401</a>, <a href="#AccessDenied">403</a>, <a href="#NotFound">404</a>, <a href="#MethodNotAllowed">405</a>, <a href="#TooLarge">413</a>, <a href="#SignInNeeded">421</a>, <a href="#Throttled">429</a>, <a href="#InternalError">500</a>, <a href="#TryAgainLater">503</a></p>
<h3 id="discoverContacts"><span class="method">get</span> <code>/database/1/{container}/{environment}/{database}/users/discover</code></h3>
<p>The people in the caller's address book. There are no address books: nobody.</p>
<p class="quiet">With apiToken + webAuthToken.</p>
<table>
<tr><th>parameter</th><th>in</th><th></th></tr>
<tr><td><code>container</code></td><td>path</td><td><a href="#Container">Container</a> The container's identifier, percent-encoded.</td></tr>
<tr><td><code>environment</code></td><td>path</td><td><code>development</code> <code>production</code> </td></tr>
<tr><td><code>database</code></td><td>path</td><td><code>public</code> </td></tr>
<tr><td><code>clientId</code></td><td>query</td><td>string What the client calls itself; it is not notified of its own changes.</td></tr>
</table>
<p>Answers: 200 <a href="#UsersAnswer">UsersAnswer</a> (Nobody), <a href="#BadRequest">400</a>, <a href="#AuthenticationFailed">401</a>, <a href="#AccessDenied">403</a>, <a href="#NotFound">404</a>, <a href="#MethodNotAllowed">405</a>, <a href="#TooLarge">413</a>, <a href="#SignInNeeded">421</a>, <a href="#Throttled">429</a>, <a href="#InternalError">500</a>, <a href="#TryAgainLater">503</a></p>
<h3 id="discoverUsers"><span class="method">post</span> <code>/database/1/{container}/{environment}/{database}/users/discover</code></h3>
<p>People by e-mail address or user record name. Who is unknown, or has not agreed to be found, is left out.</p>
<p class="quiet">With apiToken + webAuthToken.</p>
<table>
<tr><th>parameter</th><th>in</th><th></th></tr>
<tr><td><code>container</code></td><td>path</td><td><a href="#Container">Container</a> The container's identifier, percent-encoded.</td></tr>
<tr><td><code>environment</code></td><td>path</td><td><code>development</code> <code>production</code> </td></tr>
<tr><td><code>database</code></td><td>path</td><td><code>public</code> </td></tr>
<tr><td><code>clientId</code></td><td>query</td><td>string What the client calls itself; it is not notified of its own changes.</td></tr>
</table>
<p>Body: <a href="#DiscoverRequest">DiscoverRequest</a></p>
<pre>lookupInfos:
- emailAddress: ada@example.org</pre>
<p>Answers: 200 <a href="#UsersAnswer">UsersAnswer</a> (Those who were found, in the order of the request), <a href="#BadRequest">400</a>, <a href="#AuthenticationFailed">401</a>, <a href="#AccessDenied">403</a>, <a href="#NotFound">404</a>, <a href="#MethodNotAllowed">405</a>, <a href="#TooLarge">413</a>, <a href="#SignInNeeded">421</a>, <a href="#Throttled">429</a>, <a href="#InternalError">500</a>, <a href="#TryAgainLater">503</a></p>
<h3 id="lookupUsersByEmail"><span class="method">post</span> <code>/database/1/{container}/{environment}/{database}/users/lookup/email</code></h3>
<p>People by e-mail address. </p>
<p class="quiet">Deprecated; older clients ask it.</p>
<p class="quiet">With apiToken + webAuthToken.</p>
<table>
<tr><th>parameter</th><th>in</th><th></th></tr>
<tr><td><code>container</code></td><td>path</td><td><a href="#Container">Container</a> The container's identifier, percent-encoded.</td></tr>
<tr><td><code>environment</code></td><td>path</td><td><code>development</code> <code>production</code> </td></tr>
<tr><td><code>database</code></td><td>path</td><td><code>public</code> </td></tr>
<tr><td><code>clientId</code></td><td>query</td><td>string What the client calls itself; it is not notified of its own changes.</td></tr>
</table>
<p>Body: <a href="#LookupUsersRequest">LookupUsersRequest</a></p>
<pre>users:
- emailAddress: ada@example.org</pre>
<p>Answers: 200 <a href="#UsersAnswer">UsersAnswer</a> (Those who were found), <a href="#BadRequest">400</a>, <a href="#AuthenticationFailed">401</a>, <a href="#AccessDenied">403</a>, <a href="#NotFound">404</a>, <a href="#MethodNotAllowed">405</a>, <a href="#TooLarge">413</a>, <a href="#SignInNeeded">421</a>, <a href="#Throttled">429</a>, <a href="#InternalError">500</a>, <a href="#TryAgainLater">503</a></p>
<h3 id="lookupUsersByID"><span class="method">post</span> <code>/database/1/{container}/{environment}/{database}/users/lookup/id</code></h3>
<p>People by user record name. </p>
<p class="quiet">Deprecated; older clients ask it.</p>
<p class="quiet">With apiToken + webAuthToken.</p>
<table>
<tr><th>parameter</th><th>in</th><th></th></tr>
<tr><td><code>container</code></td><td>path</td><td><a href="#Container">Container</a> The container's identifier, percent-encoded.</td></tr>
<tr><td><code>environment</code></td><td>path</td><td><code>development</code> <code>production</code> </td></tr>
<tr><td><code>database</code></td><td>path</td><td><code>public</code> </td></tr>
<tr><td><code>clientId</code></td><td>query</td><td>string What the client calls itself; it is not notified of its own changes.</td></tr>
</table>
<p>Body: <a href="#LookupUsersRequest">LookupUsersRequest</a></p>
<pre>users:
- userRecordName: _7f0c2d7f6a1e4c55a2f3b3a1c0de9911</pre>
<p>Answers: 200 <a href="#UsersAnswer">UsersAnswer</a> (Those who were found), <a href="#BadRequest">400</a>, <a href="#AuthenticationFailed">401</a>, <a href="#AccessDenied">403</a>, <a href="#NotFound">404</a>, <a href="#MethodNotAllowed">405</a>, <a href="#TooLarge">413</a>, <a href="#SignInNeeded">421</a>, <a href="#Throttled">429</a>, <a href="#InternalError">500</a>, <a href="#TryAgainLater">503</a></p>
<h3 id="lookupContacts"><span class="method">get</span> <code>/database/1/{container}/{environment}/{database}/users/lookup/contacts</code></h3>
<p>The people in the caller's address book. </p>
<p class="quiet">Deprecated; older clients ask it.</p>
<p class="quiet">With apiToken + webAuthToken.</p>
<table>
<tr><th>parameter</th><th>in</th><th></th></tr>
<tr><td><code>container</code></td><td>path</td><td><a href="#Container">Container</a> The container's identifier, percent-encoded.</td></tr>
<tr><td><code>environment</code></td><td>path</td><td><code>development</code> <code>production</code> </td></tr>
<tr><td><code>database</code></td><td>path</td><td><code>public</code> </td></tr>
<tr><td><code>clientId</code></td><td>query</td><td>string What the client calls itself; it is not notified of its own changes.</td></tr>
</table>
<p>Answers: 200 <a href="#UsersAnswer">UsersAnswer</a> (Nobody), <a href="#BadRequest">400</a>, <a href="#AuthenticationFailed">401</a>, <a href="#AccessDenied">403</a>, <a href="#NotFound">404</a>, <a href="#MethodNotAllowed">405</a>, <a href="#TooLarge">413</a>, <a href="#SignInNeeded">421</a>, <a href="#Throttled">429</a>, <a href="#InternalError">500</a>, <a href="#TryAgainLater">503</a></p>
<h3 id="lookupContactsByPost"><span class="method">post</span> <code>/database/1/{container}/{environment}/{database}/users/lookup/contacts</code></h3>
<p>The people in the caller's address book. The same as <code>GET</code>.</p>
<p class="quiet">Deprecated; older clients ask it.</p>
<p class="quiet">With apiToken + webAuthToken.</p>
<table>
<tr><th>parameter</th><th>in</th><th></th></tr>
<tr><td><code>container</code></td><td>path</td><td><a href="#Container">Container</a> The container's identifier, percent-encoded.</td></tr>
<tr><td><code>environment</code></td><td>path</td><td><code>development</code> <code>production</code> </td></tr>
<tr><td><code>database</code></td><td>path</td><td><code>public</code> </td></tr>
<tr><td><code>clientId</code></td><td>query</td><td>string What the client calls itself; it is not notified of its own changes.</td></tr>
</table>
<p>Body: <a href="#EmptyRequest">EmptyRequest</a></p>
<pre>{}</pre>
<p>Answers: 200 <a href="#UsersAnswer">UsersAnswer</a> (Nobody), <a href="#BadRequest">400</a>, <a href="#AuthenticationFailed">401</a>, <a href="#AccessDenied">403</a>, <a href="#NotFound">404</a>, <a href="#MethodNotAllowed">405</a>, <a href="#TooLarge">413</a>, <a href="#SignInNeeded">421</a>, <a href="#Throttled">429</a>, <a href="#InternalError">500</a>, <a href="#TryAgainLater">503</a></p>
<h2 id="sharing">Sharing</h2>
<h3 id="resolveShares"><span class="method">post</span> <code>/database/1/{container}/{environment}/{database}/records/resolve</code></h3>
<p>What a share link leads to. Sharing is not served yet: the answer is an error.</p>
<p class="quiet">With apiToken + webAuthToken.</p>
<table>
<tr><th>parameter</th><th>in</th><th></th></tr>
<tr><td><code>container</code></td><td>path</td><td><a href="#Container">Container</a> The container's identifier, percent-encoded.</td></tr>
<tr><td><code>environment</code></td><td>path</td><td><code>development</code> <code>production</code> </td></tr>
<tr><td><code>database</code></td><td>path</td><td><code>public</code> </td></tr>
<tr><td><code>clientId</code></td><td>query</td><td>string What the client calls itself; it is not notified of its own changes.</td></tr>
</table>
<p>Body: <a href="#ShortGUIDsRequest">ShortGUIDsRequest</a></p>
<pre>shortGUIDs:
- value: 0a1BcDeFgHiJkLmNoPqRsTuVw</pre>
<p>Answers: 200 <a href="#ShortGUIDsAnswer">ShortGUIDsAnswer</a> (One result for each link), <a href="#BadRequest">400</a>, <a href="#AuthenticationFailed">401</a>, <a href="#AccessDenied">403</a>, <a href="#NotFound">404</a>, <a href="#MethodNotAllowed">405</a>, <a href="#TooLarge">413</a>, <a href="#SignInNeeded">421</a>, <a href="#Throttled">429</a>, <a href="#InternalError">500</a>, <a href="#TryAgainLater">503</a></p>
<h3 id="acceptShares"><span class="method">post</span> <code>/database/1/{container}/{environment}/{database}/records/accept</code></h3>
<p>Takes part in a share. Sharing is not served yet: the answer is an error.</p>
<p class="quiet">With apiToken + webAuthToken.</p>
<table>
<tr><th>parameter</th><th>in</th><th></th></tr>
<tr><td><code>container</code></td><td>path</td><td><a href="#Container">Container</a> The container's identifier, percent-encoded.</td></tr>
<tr><td><code>environment</code></td><td>path</td><td><code>development</code> <code>production</code> </td></tr>
<tr><td><code>database</code></td><td>path</td><td><code>public</code> </td></tr>
<tr><td><code>clientId</code></td><td>query</td><td>string What the client calls itself; it is not notified of its own changes.</td></tr>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string The same for the repetition of a request, which is then not executed twice. Remembered for 24 hours.</td></tr>
</table>
<p>Body: <a href="#ShortGUIDsRequest">ShortGUIDsRequest</a></p>
<pre>shortGUIDs:
- value: 0a1BcDeFgHiJkLmNoPqRsTuVw</pre>
<p>Answers: 200 <a href="#ShortGUIDsAnswer">ShortGUIDsAnswer</a> (One result for each link), <a href="#BadRequest">400</a>, <a href="#AuthenticationFailed">401</a>, <a href="#AccessDenied">403</a>, <a href="#NotFound">404</a>, <a href="#MethodNotAllowed">405</a>, <a href="#TooLarge">413</a>, <a href="#SignInNeeded">421</a>, <a href="#Throttled">429</a>, <a href="#InternalError">500</a>, <a href="#TryAgainLater">503</a></p>
<h2 id="pages">Pages</h2>
<h3 id="signInPage"><span class="method">get</span> <code>/signin</code></h3>
<p>The sign-in page, at the address in <code>redirectURL</code>. Whoever signs in is sent to the callback of the API token with <code>ckWebAuthToken</code> and <code>ckSession</code> in the query, or, where origins are listed, the page posts <code>{ckWebAuthToken, ckSession}</code> to the window that opened it. Nothing else ever gets the token. A user who cancels is told by <code>errorMessage</code> in the same way.</p>
<table>
<tr><th>parameter</th><th>in</th><th></th></tr>
<tr><td><code>t</code></td><td>query</td><td>string As it is in <code>redirectURL</code>; good for half an hour.</td></tr>
</table>
<p>Answers: <a href="#Page">200</a>, <a href="#Page">400</a>, <a href="#Page">403</a>, <a href="#Page">410</a>, <a href="#Throttled">429</a>, <a href="#InternalError">500</a>, <a href="#TryAgainLater">503</a></p>
<h3 id="signOutPage"><span class="method">get</span> <code>/signin/out</code></h3>
<p>The page on which a user ends all sign-ins. </p>
<p>Answers: <a href="#Page">200</a>, <a href="#Throttled">429</a>, <a href="#InternalError">500</a>, <a href="#TryAgainLater">503</a></p>
<h3 id="openAPIDocument"><span class="method">get</span> <code>/openapi.yaml</code></h3>
<p>This document. </p>
<p>Answers: 200 object (The document), <a href="#Throttled">429</a>, <a href="#TryAgainLater">503</a></p>
<h3 id="documentPage"><span class="method">get</span> <code>/docs</code></h3>
<p>This document as a page. </p>
<p>Answers: <a href="#Page">200</a>, <a href="#Throttled">429</a>, <a href="#TryAgainLater">503</a></p>
<h2 id="answers">Common answers</h2>
<table>
<tr id="BadRequest"><td>BadRequest</td><td><code>BAD_REQUEST</code>: malformed or impossible; <code>reason</code> names what. <a href="#ErrorAnswer">ErrorAnswer</a></td></tr>
<tr id="BadRequestOrAtomicFailure"><td>BadRequestOrAtomicFailure</td><td><code>BAD_REQUEST</code>, or <code>ATOMIC_ERROR</code>: nothing was saved, and <code>records</code> tells why. <a href="#ErrorAnswer">ErrorAnswer</a> or <a href="#AtomicFailure">AtomicFailure</a></td></tr>
<tr id="AuthenticationFailed"><td>AuthenticationFailed</td><td><code>AUTHENTICATION_FAILED</code>: the credentials are not good, or not of the kind that is needed. <a href="#ErrorAnswer">ErrorAnswer</a></td></tr>
<tr id="AccessDenied"><td>AccessDenied</td><td><code>ACCESS_DENIED</code>: not allowed to this caller. <a href="#ErrorAnswer">ErrorAnswer</a></td></tr>
<tr id="NotFound"><td>NotFound</td><td><code>NOT_FOUND</code> or <code>ZONE_NOT_FOUND</code>. <a href="#ErrorAnswer">ErrorAnswer</a></td></tr>
<tr id="MethodNotAllowed"><td>MethodNotAllowed</td><td><code>BAD_REQUEST</code>: the endpoint does not take this method. <a href="#ErrorAnswer">ErrorAnswer</a></td></tr>
<tr id="Conflict"><td>Conflict</td><td><code>CONFLICT</code> or <code>EXISTS</code>: something changed, or exists. <a href="#ErrorAnswer">ErrorAnswer</a></td></tr>
<tr id="ReferenceViolation"><td>ReferenceViolation</td><td><code>VALIDATING_REFERENCE_ERROR</code>: a reference that has to be good would not be. <a href="#ErrorAnswer">ErrorAnswer</a></td></tr>
<tr id="TooLarge"><td>TooLarge</td><td><code>QUOTA_EXCEEDED</code>, or a body that is too large. <a href="#ErrorAnswer">ErrorAnswer</a></td></tr>
<tr id="SignInNeeded"><td>SignInNeeded</td><td><code>AUTHENTICATION_REQUIRED</code>: a user has to sign in, at <code>redirectURL</code>. <a href="#SignInNeeded">SignInNeeded</a></td></tr>
<tr id="Throttled"><td>Throttled</td><td><code>THROTTLED</code>: too many requests. <a href="#ErrorAnswer">ErrorAnswer</a></td></tr>
<tr id="InternalError"><td>InternalError</td><td><code>INTERNAL_ERROR</code>: our fault; the log has the rest under <code>uuid</code>. <a href="#ErrorAnswer">ErrorAnswer</a></td></tr>
<tr id="TryAgainLater"><td>TryAgainLater</td><td><code>TRY_AGAIN_LATER</code>: something is away for a while. <a href="#ErrorAnswer">ErrorAnswer</a></td></tr>
<tr id="Page"><td>Page</td><td>A page. string</td></tr>
</table>
<h2 id="schemas">Types</h2>
<h3 id="ErrorAnswer">ErrorAnswer</h3>
<table>
<tr><td><code>uuid</code></td><td><a href="#RequestID">RequestID</a> </td></tr>
<tr><td><code>recordName</code> (optional)</td><td>string </td></tr>
<tr><td><code>zoneID</code> (optional)</td><td><a href="#ZoneID">ZoneID</a> </td></tr>
<tr><td><code>serverErrorCode</code></td><td><a href="#ServerErrorCode">ServerErrorCode</a> </td></tr>
<tr><td><code>reason</code></td><td><a href="#Reason">Reason</a> </td></tr>
<tr><td><code>reasonCode</code></td><td><a href="#ReasonCode">ReasonCode</a> </td></tr>
<tr><td><code>ckErrorCode</code></td><td><a href="#CKErrorCode">CKErrorCode</a> </td></tr>
<tr><td><code>field</code> (optional)</td><td><a href="#ErrorField">ErrorField</a> </td></tr>
<tr><td><code>limit</code> (optional)</td><td>integer </td></tr>
<tr><td><code>actual</code> (optional)</td><td>integer </td></tr>
<tr><td><code>retryAfter</code> (optional)</td><td><a href="#RetryAfter">RetryAfter</a> </td></tr>
<tr><td><code>encryptedDataReset</code> (optional)</td><td><a href="#EncryptedDataReset">EncryptedDataReset</a> </td></tr>
<tr><td><code>recordType</code> (optional)</td><td><a href="#ErrorType">ErrorType</a> </td></tr>
<tr><td><code>requestID</code> (optional)</td><td><a href="#RequestID">RequestID</a> </td></tr>
<tr><td><code>hint</code> (optional)</td><td><a href="#Hint">Hint</a> </td></tr>
<tr><td><code>documentation</code> (optional)</td><td><a href="#ErrorPage">ErrorPage</a> </td></tr>
<tr><td><code>line</code> (optional)</td><td>integer Of a text that is at fault.</td></tr>
<tr><td><code>column</code> (optional)</td><td>integer The character of that line.</td></tr>
</table>
<h3 id="SignInNeeded">SignInNeeded</h3>
<table>
<tr><td><code>uuid</code></td><td><a href="#RequestID">RequestID</a> </td></tr>
<tr><td><code>serverErrorCode</code></td><td><code>AUTHENTICATION_REQUIRED</code> </td></tr>
<tr><td><code>reason</code></td><td><a href="#Reason">Reason</a> </td></tr>
<tr><td><code>reasonCode</code></td><td><a href="#ReasonCode">ReasonCode</a> </td></tr>
<tr><td><code>ckErrorCode</code></td><td><code>9</code> </td></tr>
<tr><td><code>field</code> (optional)</td><td><a href="#ErrorField">ErrorField</a> </td></tr>
<tr><td><code>redirectURL</code></td><td>string The sign-in page.</td></tr>
<tr><td><code>requestID</code> (optional)</td><td><a href="#RequestID">RequestID</a> </td></tr>
<tr><td><code>hint</code> (optional)</td><td><a href="#Hint">Hint</a> </td></tr>
<tr><td><code>documentation</code> (optional)</td><td><a href="#ErrorPage">ErrorPage</a> </td></tr>
</table>
<h3 id="EmptyRequest">EmptyRequest</h3>
<pre>type: object</pre>
<h3 id="RecordChangesRequest">RecordChangesRequest</h3>
<pre>allOf:
- $ref: '<a href="#ZoneChangesQuery">ZoneChangesQuery</a>'
required:
- zoneID</pre>
<h3 id="ShortGUIDsRequest">ShortGUIDsRequest</h3>
<table>
<tr><td><code>shortGUIDs</code></td><td>list of object </td></tr>
</table>
<h3 id="ShortGUIDsAnswer">ShortGUIDsAnswer</h3>
<table>
<tr><td><code>results</code></td><td>list of object </td></tr>
</table>
<h3 id="NotificationOrNull">NotificationOrNull</h3>
<p>As Apple's push service has it; <code>ck</code> tells what changed.</p>
<table>
<tr><td><code>aps</code> (optional)</td><td>object </td></tr>
<tr><td><code>ck</code></td><td>object </td></tr>
</table>
<h3 id="NameComponents">NameComponents</h3>
<table>
<tr><td><code>givenName</code> (optional)</td><td>string </td></tr>
<tr><td><code>familyName</code> (optional)</td><td>string </td></tr>
</table>
<h3 id="LookupInfo">LookupInfo</h3>
<p>What was asked by; one of them.</p>
<table>
<tr><td><code>emailAddress</code> (optional)</td><td>string </td></tr>
<tr><td><code>userRecordName</code> (optional)</td><td>string </td></tr>
</table>
<h3 id="UserIdentity">UserIdentity</h3>
<table>
<tr><td><code>userRecordName</code></td><td><a href="#UserName">UserName</a> </td></tr>
<tr><td><code>nameComponents</code> (optional)</td><td><a href="#NameComponents">NameComponents</a> </td></tr>
<tr><td><code>lookupInfo</code> (optional)</td><td><a href="#LookupInfo">LookupInfo</a> </td></tr>
<tr><td><code>firstName</code> (optional)</td><td>string In the older lookups.</td></tr>
<tr><td><code>lastName</code> (optional)</td><td>string In the older lookups.</td></tr>
<tr><td><code>emailAddress</code> (optional)</td><td>string In the older lookup by e-mail.</td></tr>
</table>
<h3 id="CallerAnswer">CallerAnswer</h3>
<table>
<tr><td><code>userRecordName</code></td><td><a href="#UserName">UserName</a> </td></tr>
<tr><td><code>nameComponents</code> (optional)</td><td><a href="#NameComponents">NameComponents</a> </td></tr>
<tr><td><code>lookupInfo</code> (optional)</td><td><a href="#LookupInfo">LookupInfo</a> </td></tr>
<tr><td><code>firstName</code> (optional)</td><td>string </td></tr>
<tr><td><code>lastName</code> (optional)</td><td>string </td></tr>
<tr><td><code>users</code></td><td>list of <a href="#UserIdentity">UserIdentity</a> </td></tr>
</table>
<h3 id="UserDictionary">UserDictionary</h3>
<table>
<tr><td><code>userRecordName</code></td><td><a href="#UserName">UserName</a> </td></tr>
<tr><td><code>firstName</code></td><td>string or null </td></tr>
<tr><td><code>lastName</code></td><td>string or null </td></tr>
</table>
<h3 id="UsersAnswer">UsersAnswer</h3>
<table>
<tr><td><code>users</code></td><td>list of <a href="#UserIdentity">UserIdentity</a> </td></tr>
</table>
<h3 id="PersonToFind">PersonToFind</h3>
<p>By the first of them that there is; nobody has a telephone number here.</p>
<table>
<tr><td><code>emailAddress</code> (optional)</td><td>string or null </td></tr>
<tr><td><code>userRecordName</code> (optional)</td><td>string or null </td></tr>
<tr><td><code>phoneNumber</code> (optional)</td><td>string or null </td></tr>
</table>
<h3 id="DiscoverRequest">DiscoverRequest</h3>
<table>
<tr><td><code>lookupInfos</code> (optional)</td><td>list of <a href="#PersonToFind">PersonToFind</a> </td></tr>
</table>
<h3 id="LookupUsersRequest">LookupUsersRequest</h3>
<table>
<tr><td><code>users</code></td><td>list of <a href="#PersonToFind">PersonToFind</a> </td></tr>
</table>
<h3 id="Container">Container</h3>
<p>The container's identifier, <code>iCloud.…</code>.</p>
<pre>type: string
pattern: ^[!-~]{1,255}$</pre>
<h3 id="UserName">UserName</h3>
<pre>type: string
pattern: ^_[0-9a-f]{32}$</pre>
<h3 id="Name">Name</h3>
<p>At most 255 bytes of UTF-8.</p>
<pre>type: string
minLength: 1
maxLength: 255</pre>
<h3 id="FieldName">FieldName</h3>
<pre>type: string
pattern: ^[A-Za-z][A-Za-z0-9_]{0,254}$</pre>
<h3 id="Keys">Keys</h3>
<p>The fields wanted; without it all, empty: none.</p>
<pre>type: array
items:
  type: string</pre>
<h3 id="SyncToken">SyncToken</h3>
<p>Opaque: a place in a change feed.</p>
<pre>type: string
minLength: 1</pre>
<h3 id="Milliseconds">Milliseconds</h3>
<p>Since 1970.</p>
<pre>type: integer
minimum: 0</pre>
<h3 id="FileChecksum">FileChecksum</h3>
<p>In base64.</p>
<pre>type: string
pattern: ^[A-Za-z0-9+/]{44}$</pre>
<h3 id="ServerErrorCode">ServerErrorCode</h3>
<pre>enum:
- ACCESS_DENIED
- ATOMIC_ERROR
- AUTHENTICATION_FAILED
- AUTHENTICATION_REQUIRED
- BAD_REQUEST
- CONFLICT
- EXISTS
- INTERNAL_ERROR
- NOT_FOUND
- QUOTA_EXCEEDED
- THROTTLED
- TRY_AGAIN_LATER
- VALIDATING_REFERENCE_ERROR
- ZONE_NOT_FOUND</pre>
<h3 id="ReasonCode">ReasonCode</h3>
<p>Stable, for programs.</p>
<pre>type: string
pattern: ^[a-z][a-z0-9_]*$</pre>
<h3 id="Reason">Reason</h3>
<p>For people; names the field or limit.</p>
<pre>type: string</pre>
<h3 id="CKErrorCode">CKErrorCode</h3>
<p>The integer of <code>CKError.Code</code>.</p>
<pre>type: integer
minimum: 1
maximum: 37</pre>
<h3 id="ErrorField">ErrorField</h3>
<p>The field, or the key of the request, that is at fault.</p>
<pre>type: string</pre>
<h3 id="RetryAfter">RetryAfter</h3>
<p>Seconds after which trying again makes sense.</p>
<pre>type: integer</pre>
<h3 id="EncryptedDataReset">EncryptedDataReset</h3>
<p>The zone went since its keys were reset. The client makes it again and uploads what it has.</p>
<pre>const: true</pre>
<h3 id="Hint">Hint</h3>
<p>What to do about it, in a sentence.</p>
<pre>type: string</pre>
<h3 id="ErrorPage">ErrorPage</h3>
<p>Where the error is explained.</p>
<pre>type: string
pattern: ^errors\.md#[a-z0-9_]+$</pre>
<h3 id="ErrorType">ErrorType</h3>
<p>The record type that the error is about.</p>
<pre>type: string</pre>
<h3 id="RequestID">RequestID</h3>
<p>The request's id, which is in the log too.</p>
<pre>type: string</pre>
<h3 id="AtomicFailure">AtomicFailure</h3>
<p>Nothing was saved, because of those items that are not <code>ATOMIC_ERROR</code>.</p>
<table>
<tr><td><code>uuid</code></td><td><a href="#RequestID">RequestID</a> </td></tr>
<tr><td><code>serverErrorCode</code></td><td><code>ATOMIC_ERROR</code> </td></tr>
<tr><td><code>reason</code></td><td><a href="#Reason">Reason</a> </td></tr>
<tr><td><code>reasonCode</code></td><td><code>atomic_failure</code> </td></tr>
<tr><td><code>ckErrorCode</code></td><td><code>22</code> </td></tr>
<tr><td><code>requestID</code> (optional)</td><td><a href="#RequestID">RequestID</a> </td></tr>
<tr><td><code>hint</code> (optional)</td><td><a href="#Hint">Hint</a> </td></tr>
<tr><td><code>documentation</code> (optional)</td><td><a href="#ErrorPage">ErrorPage</a> </td></tr>
<tr><td><code>records</code></td><td>list of <a href="#RecordError">RecordError</a> </td></tr>
</table>
<h3 id="RecordError">RecordError</h3>
<table>
<tr><td><code>recordName</code></td><td>string Empty when the operation named none.</td></tr>
<tr><td><code>serverErrorCode</code></td><td><a href="#ServerErrorCode">ServerErrorCode</a> </td></tr>
<tr><td><code>reason</code></td><td><a href="#Reason">Reason</a> </td></tr>
<tr><td><code>reasonCode</code></td><td><a href="#ReasonCode">ReasonCode</a> </td></tr>
<tr><td><code>ckErrorCode</code></td><td><a href="#CKErrorCode">CKErrorCode</a> </td></tr>
<tr><td><code>field</code> (optional)</td><td><a href="#ErrorField">ErrorField</a> </td></tr>
<tr><td><code>limit</code> (optional)</td><td>integer </td></tr>
<tr><td><code>actual</code> (optional)</td><td>integer </td></tr>
<tr><td><code>retryAfter</code> (optional)</td><td><a href="#RetryAfter">RetryAfter</a> </td></tr>
<tr><td><code>recordType</code> (optional)</td><td><a href="#ErrorType">ErrorType</a> </td></tr>
<tr><td><code>requestID</code> (optional)</td><td><a href="#RequestID">RequestID</a> </td></tr>
<tr><td><code>hint</code> (optional)</td><td><a href="#Hint">Hint</a> </td></tr>
<tr><td><code>documentation</code> (optional)</td><td><a href="#ErrorPage">ErrorPage</a> </td></tr>
<tr><td><code>redirectURL</code> (optional)</td><td>string Over HTTP, with <code>AUTHENTICATION_REQUIRED</code>: the sign-in page.</td></tr>
<tr><td><code>serverRecord</code> (optional)</td><td><a href="#Record">Record</a> </td></tr>
</table>
<h3 id="ZoneError">ZoneError</h3>
<table>
<tr><td><code>zoneID</code></td><td><a href="#ZoneID">ZoneID</a> </td></tr>
<tr><td><code>serverErrorCode</code></td><td><a href="#ServerErrorCode">ServerErrorCode</a> </td></tr>
<tr><td><code>reason</code></td><td><a href="#Reason">Reason</a> </td></tr>
<tr><td><code>reasonCode</code></td><td><a href="#ReasonCode">ReasonCode</a> </td></tr>
<tr><td><code>ckErrorCode</code></td><td><a href="#CKErrorCode">CKErrorCode</a> </td></tr>
<tr><td><code>field</code> (optional)</td><td><a href="#ErrorField">ErrorField</a> </td></tr>
<tr><td><code>limit</code> (optional)</td><td>integer </td></tr>
<tr><td><code>actual</code> (optional)</td><td>integer </td></tr>
<tr><td><code>retryAfter</code> (optional)</td><td><a href="#RetryAfter">RetryAfter</a> </td></tr>
<tr><td><code>encryptedDataReset</code> (optional)</td><td><a href="#EncryptedDataReset">EncryptedDataReset</a> </td></tr>
<tr><td><code>recordType</code> (optional)</td><td><a href="#ErrorType">ErrorType</a> </td></tr>
<tr><td><code>requestID</code> (optional)</td><td><a href="#RequestID">RequestID</a> </td></tr>
<tr><td><code>hint</code> (optional)</td><td><a href="#Hint">Hint</a> </td></tr>
<tr><td><code>documentation</code> (optional)</td><td><a href="#ErrorPage">ErrorPage</a> </td></tr>
</table>
<h3 id="SubscriptionError">SubscriptionError</h3>
<table>
<tr><td><code>subscriptionID</code> (optional)</td><td>string </td></tr>
<tr><td><code>serverErrorCode</code></td><td><a href="#ServerErrorCode">ServerErrorCode</a> </td></tr>
<tr><td><code>reason</code></td><td><a href="#Reason">Reason</a> </td></tr>
<tr><td><code>reasonCode</code></td><td><a href="#ReasonCode">ReasonCode</a> </td></tr>
<tr><td><code>ckErrorCode</code></td><td><a href="#CKErrorCode">CKErrorCode</a> </td></tr>
<tr><td><code>field</code> (optional)</td><td><a href="#ErrorField">ErrorField</a> </td></tr>
<tr><td><code>limit</code> (optional)</td><td>integer </td></tr>
<tr><td><code>actual</code> (optional)</td><td>integer </td></tr>
<tr><td><code>retryAfter</code> (optional)</td><td><a href="#RetryAfter">RetryAfter</a> </td></tr>
<tr><td><code>recordType</code> (optional)</td><td><a href="#ErrorType">ErrorType</a> </td></tr>
<tr><td><code>requestID</code> (optional)</td><td><a href="#RequestID">RequestID</a> </td></tr>
<tr><td><code>hint</code> (optional)</td><td><a href="#Hint">Hint</a> </td></tr>
<tr><td><code>documentation</code> (optional)</td><td><a href="#ErrorPage">ErrorPage</a> </td></tr>
</table>
<h3 id="ModifyRecordsRequest">ModifyRecordsRequest</h3>
<table>
<tr><td><code>operations</code></td><td>list of <a href="#RecordOperation">RecordOperation</a> </td></tr>
<tr><td><code>zoneID</code> (optional)</td><td><a href="#NamedZone">NamedZone</a> </td></tr>
<tr><td><code>atomic</code> (optional)</td><td>boolean All or nothing. Without it: in custom zones, not in the default zone.</td></tr>
<tr><td><code>desiredKeys</code> (optional)</td><td><a href="#Keys">Keys</a> </td></tr>
<tr><td><code>numbersAsStrings</code> (optional)</td><td>boolean Whether numbers come back in quotes.</td></tr>
</table>
<h3 id="RecordOperation">RecordOperation</h3>
<table>
<tr><td><code>operationType</code></td><td><code>create</code> <code>update</code> <code>forceUpdate</code> <code>replace</code> <code>forceReplace</code> <code>delete</code> <code>forceDelete</code> </td></tr>
<tr><td><code>record</code></td><td><a href="#RecordToSave">RecordToSave</a> </td></tr>
<tr><td><code>desiredKeys</code> (optional)</td><td><a href="#Keys">Keys</a> </td></tr>
<tr><td><code>numbersAsStrings</code> (optional)</td><td>boolean </td></tr>
</table>
<h3 id="RecordToSave">RecordToSave</h3>
<table>
<tr><td><code>recordName</code> (optional)</td><td><a href="#Name">Name</a> </td></tr>
<tr><td><code>recordType</code> (optional)</td><td><a href="#FieldName">FieldName</a> </td></tr>
<tr><td><code>recordChangeTag</code> (optional)</td><td>string Of the client's copy; for <code>update</code>, <code>replace</code>, <code>delete</code>.</td></tr>
<tr><td><code>fields</code> (optional)</td><td>object </td></tr>
<tr><td><code>parent</code> (optional)</td><td>object or null The record's place in a hierarchy; null: none.</td></tr>
<tr><td><code>createShortGUID</code> (optional)</td><td>boolean </td></tr>
</table>
<h3 id="FieldToSave">FieldToSave</h3>
<p>Null, or a value that is null, clears the field.</p>
<table>
<tr><td><code>value</code> (optional)</td><td><a href="#ValueToSave">ValueToSave</a> </td></tr>
<tr><td><code>type</code> (optional)</td><td><a href="#FieldType">FieldType</a> or <code>LIST</code> <code>UNKNOWN_LIST</code> Without it the value tells; a new field of a single number is then a NUMBER, which takes INT64 and DOUBLE. Accepted besides: <code>INT</code>, <code>DATETIME</code>, <code>BYTE</code>, <code>ASSET</code>, a leading <code>ENCRYPTED_</code>, and <code>LIST</code> and <code>UNKNOWN_LIST</code>, which name no type of the elements.</td></tr>
<tr><td><code>isEncrypted</code> (optional)</td><td>boolean </td></tr>
</table>
<h3 id="FieldType">FieldType</h3>
<pre>enum:
- STRING
- INT64
- DOUBLE
- TIMESTAMP
- BYTES
- REFERENCE
- ASSETID
- LOCATION
- STRING_LIST
- INT64_LIST
- DOUBLE_LIST
- TIMESTAMP_LIST
- BYTES_LIST
- REFERENCE_LIST
- ASSETID_LIST
- LOCATION_LIST</pre>
<h3 id="ValueToSave">ValueToSave</h3>
<pre>anyOf:
- type:
  - 'null'
  - string
  - number
  - boolean
- $ref: '<a href="#ReferenceToSave">ReferenceToSave</a>'
- $ref: '<a href="#AssetToSave">AssetToSave</a>'
- $ref: '<a href="#LocationToSave">LocationToSave</a>'
- type: array
  items:
    anyOf:
    - type:
      - string
      - number
      - boolean
    - $ref: '<a href="#ReferenceToSave">ReferenceToSave</a>'
    - $ref: '<a href="#AssetToSave">AssetToSave</a>'
    - $ref: '<a href="#LocationToSave">LocationToSave</a>'</pre>
<h3 id="ReferenceToSave">ReferenceToSave</h3>
<table>
<tr><td><code>recordName</code></td><td><a href="#Name">Name</a> </td></tr>
<tr><td><code>action</code> (optional)</td><td><code>NONE</code> <code>DELETE_SELF</code> <code>VALIDATE</code> </td></tr>
<tr><td><code>zoneID</code> (optional)</td><td><a href="#NamedZone">NamedZone</a> </td></tr>
</table>
<h3 id="AssetToSave">AssetToSave</h3>
<p>The <code>singleFile</code> of the upload's answer, whose receipt is the proof. Without a receipt: an asset that the record's field has already.</p>
<table>
<tr><td><code>fileChecksum</code></td><td><a href="#FileChecksum">FileChecksum</a> </td></tr>
<tr><td><code>size</code> (optional)</td><td>integer </td></tr>
<tr><td><code>receipt</code> (optional)</td><td>string </td></tr>
<tr><td><code>referenceChecksum</code> (optional)</td><td>string </td></tr>
<tr><td><code>wrappingKey</code> (optional)</td><td>string </td></tr>
</table>
<h3 id="LocationToSave">LocationToSave</h3>
<table>
<tr><td><code>latitude</code></td><td>number </td></tr>
<tr><td><code>longitude</code></td><td>number </td></tr>
<tr><td><code>horizontalAccuracy</code> (optional)</td><td>number </td></tr>
<tr><td><code>verticalAccuracy</code> (optional)</td><td>number </td></tr>
<tr><td><code>altitude</code> (optional)</td><td>number </td></tr>
<tr><td><code>speed</code> (optional)</td><td>number </td></tr>
<tr><td><code>course</code> (optional)</td><td>number </td></tr>
<tr><td><code>timestamp</code> (optional)</td><td>integer </td></tr>
</table>
<h3 id="ModifyRecordsAnswer">ModifyRecordsAnswer</h3>
<pre>type: object
additionalProperties: false
anyOf:
- required:
  - records
- required:
  - answerOmitted
properties:
  syncToken:
    type: string
    description: The zone's, when `getCurrentSyncToken` asks for it.
  answerOmitted:
    const: true
    description: The operations were executed, and the answer about them is larger than a message; look
      the records up.
  records:
    type: array
    description: One for each operation, in their order.
    items:
      oneOf:
      - $ref: '<a href="#Record">Record</a>'
      - $ref: '<a href="#Tombstone">Tombstone</a>'
      - $ref: '<a href="#RecordError">RecordError</a>'</pre>
<h3 id="LookupRecordsRequest">LookupRecordsRequest</h3>
<table>
<tr><td><code>records</code></td><td>list of object </td></tr>
<tr><td><code>zoneID</code> (optional)</td><td><a href="#NamedZone">NamedZone</a> </td></tr>
<tr><td><code>desiredKeys</code> (optional)</td><td><a href="#Keys">Keys</a> </td></tr>
<tr><td><code>numbersAsStrings</code> (optional)</td><td>boolean </td></tr>
</table>
<h3 id="LookupRecordsAnswer">LookupRecordsAnswer</h3>
<table>
<tr><td><code>syncToken</code> (optional)</td><td>string The zone's, when <code>getCurrentSyncToken</code> asks for it.</td></tr>
<tr><td><code>records</code></td><td>list of <a href="#Record">Record</a> or <a href="#RecordError">RecordError</a> </td></tr>
</table>
<h3 id="QueryRecordsRequest">QueryRecordsRequest</h3>
<table>
<tr><td><code>query</code></td><td><a href="#Query">Query</a> </td></tr>
<tr><td><code>zoneID</code> (optional)</td><td><a href="#NamedZone">NamedZone</a> </td></tr>
<tr><td><code>zoneWide</code> (optional)</td><td>boolean All zones of the database, unless a zone is named.</td></tr>
<tr><td><code>resultsLimit</code> (optional)</td><td>integer 0 leaves it to the service.</td></tr>
<tr><td><code>continuationMarker</code> (optional)</td><td>string Of the page before. The query is repeated with it.</td></tr>
<tr><td><code>desiredKeys</code> (optional)</td><td><a href="#Keys">Keys</a> </td></tr>
<tr><td><code>numbersAsStrings</code> (optional)</td><td>boolean </td></tr>
</table>
<h3 id="Query">Query</h3>
<table>
<tr><td><code>recordType</code></td><td>string </td></tr>
<tr><td><code>filterBy</code> (optional)</td><td><a href="#Filter">Filter</a> or list of <a href="#Filter">Filter</a> All have to match. One may stand without the array.</td></tr>
<tr><td><code>sortBy</code> (optional)</td><td><a href="#Sort">Sort</a> or list of <a href="#Sort">Sort</a> The first decides first. One may stand without the array.</td></tr>
</table>
<h3 id="Filter">Filter</h3>
<pre>oneOf:
- $ref: '<a href="#Comparison">Comparison</a>'
- $ref: '<a href="#JoinedFilters">JoinedFilters</a>'</pre>
<h3 id="Comparison">Comparison</h3>
<p>A field by either name; none for a search for words in all fields.</p>
<table>
<tr><td><code>comparator</code></td><td>string <code>queries.md</code> lists them and says what each needs.</td></tr>
<tr><td><code>fieldName</code> (optional)</td><td>string </td></tr>
<tr><td><code>systemFieldName</code> (optional)</td><td><a href="#SystemFieldName">SystemFieldName</a> </td></tr>
<tr><td><code>fieldValue</code> (optional)</td><td><a href="#FieldToSave">FieldToSave</a> </td></tr>
<tr><td><code>distance</code> (optional)</td><td>number Metres.</td></tr>
<tr><td><code>options</code> (optional)</td><td>string Without regard to case (c) or accents (d).</td></tr>
</table>
<h3 id="JoinedFilters">JoinedFilters</h3>
<p>Zonda's own. What stands in it are filters again, at most 24 levels deep; <code>and</code> of nothing matches all records, <code>or</code> of nothing none.</p>
<pre>type: object
minProperties: 1
oneOf:
- required:
  - and
- required:
  - or
- required:
  - not
properties:
  and:
    type:
    - array
    - object
    items:
      type: object
  or:
    type:
    - array
    - object
    items:
      type: object
  not:
    type: object</pre>
<h3 id="SystemFieldName">SystemFieldName</h3>
<pre>type: string
pattern: ^(recordName|createdTimestamp|modifiedTimestamp|createdUserRecordName|modifiedUserRecordName|parent|share|___[A-Za-z]+)$</pre>
<h3 id="FieldReference">FieldReference</h3>
<pre>type: object
properties:
  fieldName:
    type: string
  systemFieldName:
    $ref: '<a href="#SystemFieldName">SystemFieldName</a>'
anyOf:
- required:
  - fieldName
- required:
  - systemFieldName</pre>
<h3 id="Sort">Sort</h3>
<pre>allOf:
- $ref: '<a href="#FieldReference">FieldReference</a>'
- type: object
  properties:
    ascending:
      type: boolean
      default: true
    relativeLocation:
      description: A place, nearest first; alone or in a field value dictionary.
      anyOf:
      - $ref: '<a href="#LocationToSave">LocationToSave</a>'
      - $ref: '<a href="#FieldToSave">FieldToSave</a>'</pre>
<h3 id="QueryRecordsAnswer">QueryRecordsAnswer</h3>
<table>
<tr><td><code>syncToken</code> (optional)</td><td>string The zone's, when <code>getCurrentSyncToken</code> asks for it.</td></tr>
<tr><td><code>records</code></td><td>list of <a href="#Record">Record</a> </td></tr>
<tr><td><code>continuationMarker</code> (optional)</td><td><a href="#ContinuationMarker">ContinuationMarker</a> </td></tr>
<tr><td><code>warnings</code> (optional)</td><td><a href="#QueryWarnings">QueryWarnings</a> </td></tr>
</table>
<h3 id="ContinuationMarker">ContinuationMarker</h3>
<p>Only an answer without it is the last: a page may hold fewer records than asked for, even none. Standard base64, good for 24 hours, and for the same query only.</p>
<pre>type: string
minLength: 1
contentEncoding: base64
pattern: ^[A-Za-z0-9+/]+=*$</pre>
<h3 id="QueryWarnings">QueryWarnings</h3>
<p>Indexes that are missing, for people.</p>
<pre>type: array
minItems: 1
items:
  type: string</pre>
<h3 id="Record">Record</h3>
<table>
<tr><td><code>recordName</code></td><td><a href="#Name">Name</a> </td></tr>
<tr><td><code>recordType</code></td><td>string </td></tr>
<tr><td><code>fields</code></td><td>object </td></tr>
<tr><td><code>pluginFields</code></td><td>object </td></tr>
<tr><td><code>recordChangeTag</code></td><td>string </td></tr>
<tr><td><code>created</code></td><td><a href="#Stamp">Stamp</a> </td></tr>
<tr><td><code>modified</code></td><td><a href="#Stamp">Stamp</a> </td></tr>
<tr><td><code>deleted</code></td><td><code>False</code> </td></tr>
<tr><td><code>parent</code> (optional)</td><td>object </td></tr>
<tr><td><code>zoneID</code> (optional)</td><td><a href="#ZoneID">ZoneID</a> </td></tr>
<tr><td><code>shortGUID</code> (optional)</td><td>string </td></tr>
<tr><td><code>fieldsOmitted</code> (optional)</td><td><code>True</code> There was no room for the fields in the answer to a write; look the record up.</td></tr>
</table>
<h3 id="Tombstone">Tombstone</h3>
<p>What is left of a deleted record.</p>
<table>
<tr><td><code>recordName</code></td><td>string </td></tr>
<tr><td><code>deletedRecordType</code> (optional)</td><td>string In feeds: the type that it had. CloudKit has no such key; a tombstone is told by the absence of <code>recordType</code>.</td></tr>
<tr><td><code>deleted</code></td><td><code>True</code> </td></tr>
<tr><td><code>zoneID</code> (optional)</td><td><a href="#ZoneID">ZoneID</a> </td></tr>
</table>
<h3 id="Stamp">Stamp</h3>
<table>
<tr><td><code>timestamp</code></td><td><a href="#Milliseconds">Milliseconds</a> </td></tr>
<tr><td><code>userRecordName</code></td><td>string </td></tr>
<tr><td><code>deviceID</code></td><td>string </td></tr>
</table>
<h3 id="Field">Field</h3>
<pre>type: object
additionalProperties: false
required:
- value
- type
properties:
  value: true
  type:
    $ref: '<a href="#FieldType">FieldType</a>'
  isEncrypted:
    const: true
oneOf:
- properties:
    type:
      const: STRING
    value:
      type: string
- properties:
    type:
      const: INT64
    value:
      $ref: '<a href="#Integer">Integer</a>'
- properties:
    type:
      const: DOUBLE
    value:
      $ref: '<a href="#Number">Number</a>'
- properties:
    type:
      const: TIMESTAMP
    value:
      $ref: '<a href="#Integer">Integer</a>'
- properties:
    type:
      const: BYTES
    value:
      $ref: '<a href="#Base64">Base64</a>'
- properties:
    type:
      const: REFERENCE
    value:
      $ref: '<a href="#Reference">Reference</a>'
- properties:
    type:
      const: ASSETID
    value:
      $ref: '<a href="#Asset">Asset</a>'
- properties:
    type:
      const: LOCATION
    value:
      $ref: '<a href="#Location">Location</a>'
- properties:
    type:
      const: STRING_LIST
    value:
      type: array
      items:
        type: string
- properties:
    type:
      const: INT64_LIST
    value:
      type: array
      items:
        $ref: '<a href="#Integer">Integer</a>'
- properties:
    type:
      const: DOUBLE_LIST
    value:
      type: array
      items:
        $ref: '<a href="#Number">Number</a>'
- properties:
    type:
      const: TIMESTAMP_LIST
    value:
      type: array
      items:
        $ref: '<a href="#Integer">Integer</a>'
- properties:
    type:
      const: BYTES_LIST
    value:
      type: array
      items:
        $ref: '<a href="#Base64">Base64</a>'
- properties:
    type:
      const: REFERENCE_LIST
    value:
      type: array
      items:
        $ref: '<a href="#Reference">Reference</a>'
- properties:
    type:
      const: ASSETID_LIST
    value:
      type: array
      items:
        $ref: '<a href="#Asset">Asset</a>'
- properties:
    type:
      const: LOCATION_LIST
    value:
      type: array
      items:
        $ref: '<a href="#Location">Location</a>'</pre>
<h3 id="Integer">Integer</h3>
<p>64 bits; in quotes after <code>numbersAsStrings</code>. A <code>TIMESTAMP</code> is milliseconds since 1970.</p>
<pre>anyOf:
- type: integer
- type: string
  pattern: ^-?[0-9]+$</pre>
<h3 id="Number">Number</h3>
<p>In quotes after <code>numbersAsStrings</code>.</p>
<pre>anyOf:
- type: number
- type: string
  pattern: ^-?[0-9]</pre>
<h3 id="Base64">Base64</h3>
<pre>type: string
contentEncoding: base64
pattern: ^[A-Za-z0-9+/]*=*$</pre>
<h3 id="Reference">Reference</h3>
<table>
<tr><td><code>recordName</code></td><td><a href="#Name">Name</a> </td></tr>
<tr><td><code>action</code></td><td><code>NONE</code> <code>DELETE_SELF</code> <code>VALIDATE</code> </td></tr>
<tr><td><code>zoneID</code> (optional)</td><td>object </td></tr>
</table>
<h3 id="Asset">Asset</h3>
<table>
<tr><td><code>fileChecksum</code></td><td><a href="#FileChecksum">FileChecksum</a> </td></tr>
<tr><td><code>size</code></td><td>integer </td></tr>
<tr><td><code>referenceChecksum</code> (optional)</td><td>string </td></tr>
<tr><td><code>wrappingKey</code> (optional)</td><td>string </td></tr>
<tr><td><code>downloadURL</code> (optional)</td><td>string Needs no credentials, ends by itself.</td></tr>
</table>
<h3 id="Location">Location</h3>
<table>
<tr><td><code>latitude</code></td><td>number </td></tr>
<tr><td><code>longitude</code></td><td>number </td></tr>
<tr><td><code>horizontalAccuracy</code> (optional)</td><td>number </td></tr>
<tr><td><code>verticalAccuracy</code> (optional)</td><td>number </td></tr>
<tr><td><code>altitude</code> (optional)</td><td>number </td></tr>
<tr><td><code>speed</code> (optional)</td><td>number </td></tr>
<tr><td><code>course</code> (optional)</td><td>number </td></tr>
<tr><td><code>timestamp</code> (optional)</td><td>integer </td></tr>
</table>
<h3 id="NamedZone">NamedZone</h3>
<p>A zone as a request names it; without one the default zone is meant.</p>
<table>
<tr><td><code>zoneName</code></td><td>string </td></tr>
<tr><td><code>ownerRecordName</code> (optional)</td><td>string The caller; <code>__defaultOwner__</code> or nothing is the same.</td></tr>
</table>
<h3 id="ZoneID">ZoneID</h3>
<table>
<tr><td><code>zoneName</code></td><td>string </td></tr>
<tr><td><code>ownerRecordName</code> (optional)</td><td>string </td></tr>
<tr><td><code>zoneType</code></td><td><code>DEFAULT_ZONE</code> <code>REGULAR_CUSTOM_ZONE</code> </td></tr>
</table>
<h3 id="Zone">Zone</h3>
<table>
<tr><td><code>zoneID</code></td><td><a href="#ZoneID">ZoneID</a> </td></tr>
<tr><td><code>syncToken</code> (optional)</td><td><a href="#SyncToken">SyncToken</a> </td></tr>
<tr><td><code>atomic</code></td><td>boolean </td></tr>
</table>
<h3 id="DeletedZone">DeletedZone</h3>
<table>
<tr><td><code>zoneID</code></td><td><a href="#ZoneID">ZoneID</a> </td></tr>
<tr><td><code>deleted</code></td><td><code>True</code> </td></tr>
</table>
<h3 id="ModifyZonesRequest">ModifyZonesRequest</h3>
<table>
<tr><td><code>operations</code></td><td>list of object </td></tr>
</table>
<h3 id="ModifyZonesAnswer">ModifyZonesAnswer</h3>
<table>
<tr><td><code>zones</code></td><td>list of <a href="#Zone">Zone</a> or <a href="#DeletedZone">DeletedZone</a> or <a href="#ZoneError">ZoneError</a> </td></tr>
</table>
<h3 id="ListZonesAnswer">ListZonesAnswer</h3>
<table>
<tr><td><code>zones</code></td><td>list of <a href="#Zone">Zone</a> </td></tr>
</table>
<h3 id="LookupZonesRequest">LookupZonesRequest</h3>
<table>
<tr><td><code>zones</code></td><td>list of <a href="#NamedZone">NamedZone</a> </td></tr>
</table>
<h3 id="LookupZonesAnswer">LookupZonesAnswer</h3>
<table>
<tr><td><code>zones</code></td><td>list of <a href="#Zone">Zone</a> or <a href="#ZoneError">ZoneError</a> </td></tr>
</table>
<h3 id="ZoneChangesQuery">ZoneChangesQuery</h3>
<table>
<tr><td><code>zoneID</code> (optional)</td><td><a href="#NamedZone">NamedZone</a> </td></tr>
<tr><td><code>syncToken</code> (optional)</td><td>string Where the last page ended; without it: the beginning.</td></tr>
<tr><td><code>desiredKeys</code> (optional)</td><td><a href="#Keys">Keys</a> </td></tr>
<tr><td><code>desiredRecordTypes</code> (optional)</td><td>list of string </td></tr>
<tr><td><code>resultsLimit</code> (optional)</td><td>integer At most 1000; 0 is the default, 200.</td></tr>
<tr><td><code>reverse</code> (optional)</td><td>boolean The newest change first. A token in the middle of such a walk goes on backwards; the last one is the same as that of a walk forwards.</td></tr>
<tr><td><code>numbersAsStrings</code> (optional)</td><td>boolean </td></tr>
</table>
<h3 id="ZoneChangesRequest">ZoneChangesRequest</h3>
<p>What stands beside <code>zones</code> is the default of each of them.</p>
<table>
<tr><td><code>zones</code></td><td>list of <a href="#ZoneChangesQuery">ZoneChangesQuery</a> </td></tr>
</table>
<h3 id="ZoneChangesAnswer">ZoneChangesAnswer</h3>
<table>
<tr><td><code>zones</code></td><td>list of <a href="#ZonePage">ZonePage</a> or <a href="#ZoneError">ZoneError</a> </td></tr>
</table>
<h3 id="ZonePage">ZonePage</h3>
<table>
<tr><td><code>zoneID</code></td><td><a href="#ZoneID">ZoneID</a> </td></tr>
<tr><td><code>syncToken</code></td><td><a href="#SyncToken">SyncToken</a> </td></tr>
<tr><td><code>moreComing</code></td><td>boolean </td></tr>
<tr><td><code>records</code></td><td><a href="#ChangedRecords">ChangedRecords</a> </td></tr>
</table>
<h3 id="RecordChangesAnswer">RecordChangesAnswer</h3>
<table>
<tr><td><code>syncToken</code></td><td><a href="#SyncToken">SyncToken</a> </td></tr>
<tr><td><code>moreComing</code></td><td>boolean </td></tr>
<tr><td><code>records</code></td><td><a href="#ChangedRecords">ChangedRecords</a> </td></tr>
</table>
<h3 id="ChangedRecords">ChangedRecords</h3>
<pre>type: array
items:
  oneOf:
  - $ref: '<a href="#Record">Record</a>'
  - $ref: '<a href="#Tombstone">Tombstone</a>'</pre>
<h3 id="DatabaseChangesRequest">DatabaseChangesRequest</h3>
<table>
<tr><td><code>syncToken</code> (optional)</td><td>string </td></tr>
<tr><td><code>resultsLimit</code> (optional)</td><td>integer </td></tr>
</table>
<h3 id="DatabaseChangesAnswer">DatabaseChangesAnswer</h3>
<table>
<tr><td><code>zones</code></td><td><a href="#ChangedZones">ChangedZones</a> </td></tr>
<tr><td><code>syncToken</code></td><td><a href="#SyncToken">SyncToken</a> </td></tr>
<tr><td><code>moreComing</code></td><td>boolean </td></tr>
</table>
<h3 id="ZonesChangesRequest">ZonesChangesRequest</h3>
<table>
<tr><td><code>metaSyncToken</code> (optional)</td><td>string </td></tr>
<tr><td><code>resultsLimit</code> (optional)</td><td>integer </td></tr>
</table>
<h3 id="ZonesChangesAnswer">ZonesChangesAnswer</h3>
<table>
<tr><td><code>zones</code></td><td><a href="#ChangedZones">ChangedZones</a> </td></tr>
<tr><td><code>metaSyncToken</code></td><td><a href="#SyncToken">SyncToken</a> </td></tr>
<tr><td><code>moreComing</code></td><td>boolean </td></tr>
</table>
<h3 id="ChangedZones">ChangedZones</h3>
<pre>type: array
items:
  type: object
  additionalProperties: false
  required:
  - zoneID
  - deleted
  properties:
    zoneID:
      $ref: '<a href="#ZoneID">ZoneID</a>'
    deleted:
      type: boolean
    deletionReason:
      enum:
      - deleted
      - purged
      - encryptedDataReset</pre>
<h3 id="UploadedAsset">UploadedAsset</h3>
<p>The value of a field in a save.</p>
<table>
<tr><td><code>fileChecksum</code></td><td><a href="#FileChecksum">FileChecksum</a> </td></tr>
<tr><td><code>size</code></td><td>integer </td></tr>
<tr><td><code>receipt</code></td><td>string The proof of the upload; good for 24 hours in the same database.</td></tr>
<tr><td><code>referenceChecksum</code></td><td>string </td></tr>
<tr><td><code>wrappingKey</code></td><td>string </td></tr>
</table>
<h3 id="UploadAssetsRequest">UploadAssetsRequest</h3>
<table>
<tr><td><code>tokens</code></td><td>list of object </td></tr>
<tr><td><code>zoneID</code> (optional)</td><td><a href="#NamedZone">NamedZone</a> </td></tr>
</table>
<h3 id="UploadAssetsAnswer">UploadAssetsAnswer</h3>
<table>
<tr><td><code>tokens</code></td><td>list of object </td></tr>
</table>
<h3 id="AssetsRereferenceRequest">AssetsRereferenceRequest</h3>
<table>
<tr><td><code>assets</code></td><td>list of object </td></tr>
<tr><td><code>zoneID</code> (optional)</td><td><a href="#NamedZone">NamedZone</a> </td></tr>
<tr><td><code>targetZoneID</code> (optional)</td><td><a href="#NamedZone">NamedZone</a> </td></tr>
</table>
<h3 id="AssetsRereferenceAnswer">AssetsRereferenceAnswer</h3>
<table>
<tr><td><code>assets</code></td><td>list of <a href="#UploadedAsset">UploadedAsset</a> In the order of the request; of a field that is a list all of its assets.</td></tr>
</table>
<h3 id="ModifySubscriptionsRequest">ModifySubscriptionsRequest</h3>
<table>
<tr><td><code>operations</code></td><td>list of object </td></tr>
</table>
<h3 id="SubscriptionToSave">SubscriptionToSave</h3>
<table>
<tr><td><code>subscriptionID</code> (optional)</td><td><a href="#Name">Name</a> </td></tr>
<tr><td><code>subscriptionType</code> (optional)</td><td><code>query</code> <code>zone</code> <code>database</code> A <code>zone</code> that is <code>zoneWide</code> is a <code>database</code>.</td></tr>
<tr><td><code>zoneID</code> (optional)</td><td><a href="#NamedZone">NamedZone</a> </td></tr>
<tr><td><code>recordType</code> (optional)</td><td>string Of zones and databases: only changes of records of this type.</td></tr>
<tr><td><code>query</code> (optional)</td><td><a href="#Query">Query</a> </td></tr>
<tr><td><code>firesOn</code> (optional)</td><td>list of <a href="#FiringEvent">FiringEvent</a> Of queries: at least one.</td></tr>
<tr><td><code>firesOnce</code> (optional)</td><td>boolean Of queries: it is gone when it has fired.</td></tr>
<tr><td><code>zoneWide</code> (optional)</td><td>boolean Of queries without a zone: false is the default zone only.</td></tr>
<tr><td><code>notificationInfo</code> (optional)</td><td><a href="#NotificationInfoToSave">NotificationInfoToSave</a> </td></tr>
</table>
<h3 id="FiringEvent">FiringEvent</h3>
<pre>enum:
- create
- update
- delete</pre>
<h3 id="NotificationInfoToSave">NotificationInfoToSave</h3>
<table>
<tr><td><code>alertBody</code> (optional)</td><td>string </td></tr>
<tr><td><code>alertLocalizationKey</code> (optional)</td><td>string </td></tr>
<tr><td><code>alertLocalizationArgs</code> (optional)</td><td>list of string </td></tr>
<tr><td><code>alertActionLocalizationKey</code> (optional)</td><td>string </td></tr>
<tr><td><code>alertLaunchImage</code> (optional)</td><td>string </td></tr>
<tr><td><code>title</code> (optional)</td><td>string </td></tr>
<tr><td><code>titleLocalizationKey</code> (optional)</td><td>string </td></tr>
<tr><td><code>titleLocalizationArgs</code> (optional)</td><td>list of string </td></tr>
<tr><td><code>subtitle</code> (optional)</td><td>string </td></tr>
<tr><td><code>subtitleLocalizationKey</code> (optional)</td><td>string </td></tr>
<tr><td><code>subtitleLocalizationArgs</code> (optional)</td><td>list of string </td></tr>
<tr><td><code>soundName</code> (optional)</td><td>string </td></tr>
<tr><td><code>category</code> (optional)</td><td>string </td></tr>
<tr><td><code>collapseIDKey</code> (optional)</td><td>string </td></tr>
<tr><td><code>additionalFields</code> (optional)</td><td>list of string </td></tr>
<tr><td><code>shouldBadge</code> (optional)</td><td>boolean </td></tr>
<tr><td><code>shouldSendContentAvailable</code> (optional)</td><td>boolean </td></tr>
<tr><td><code>shouldSendMutableContent</code> (optional)</td><td>boolean </td></tr>
</table>
<h3 id="NotificationInfo">NotificationInfo</h3>
<p>As it was saved, with all flags and no key that Zonda does not know.</p>
<pre>allOf:
- $ref: '<a href="#NotificationInfoToSave">NotificationInfoToSave</a>'
required:
- shouldBadge
- shouldSendContentAvailable
- shouldSendMutableContent
propertyNames:
  enum:
  - alertBody
  - alertLocalizationKey
  - alertLocalizationArgs
  - alertActionLocalizationKey
  - alertLaunchImage
  - title
  - titleLocalizationKey
  - titleLocalizationArgs
  - subtitle
  - subtitleLocalizationKey
  - subtitleLocalizationArgs
  - soundName
  - category
  - collapseIDKey
  - additionalFields
  - shouldBadge
  - shouldSendContentAvailable
  - shouldSendMutableContent</pre>
<h3 id="Subscription">Subscription</h3>
<pre>oneOf:
- $ref: '<a href="#QuerySubscription">QuerySubscription</a>'
- $ref: '<a href="#ZoneSubscription">ZoneSubscription</a>'
- $ref: '<a href="#DatabaseSubscription">DatabaseSubscription</a>'</pre>
<h3 id="QuerySubscription">QuerySubscription</h3>
<table>
<tr><td><code>subscriptionID</code></td><td><a href="#Name">Name</a> </td></tr>
<tr><td><code>subscriptionType</code></td><td><code>query</code> </td></tr>
<tr><td><code>query</code></td><td><a href="#SavedQuery">SavedQuery</a> </td></tr>
<tr><td><code>firesOn</code></td><td>list of <a href="#FiringEvent">FiringEvent</a> </td></tr>
<tr><td><code>firesOnce</code></td><td>boolean </td></tr>
<tr><td><code>zoneWide</code></td><td>boolean </td></tr>
<tr><td><code>zoneID</code> (optional)</td><td><a href="#ZoneID">ZoneID</a> </td></tr>
<tr><td><code>notificationInfo</code> (optional)</td><td><a href="#NotificationInfo">NotificationInfo</a> </td></tr>
</table>
<h3 id="SavedQuery">SavedQuery</h3>
<p>As Zonda writes what was saved, without sorts.</p>
<table>
<tr><td><code>recordType</code></td><td>string </td></tr>
<tr><td><code>filterBy</code> (optional)</td><td>list of <a href="#SavedFilter">SavedFilter</a> </td></tr>
</table>
<h3 id="SavedFilter">SavedFilter</h3>
<pre>oneOf:
- type: object
  additionalProperties: false
  required:
  - comparator
  properties:
    comparator:
      type: string
    fieldName:
      type: string
    systemFieldName:
      $ref: '<a href="#SystemFieldName">SystemFieldName</a>'
    fieldValue:
      $ref: '<a href="#Field">Field</a>'
    distance:
      type: number
      minimum: 0
    options:
      type: string
- $ref: '<a href="#JoinedFilters">JoinedFilters</a>'</pre>
<h3 id="ZoneSubscription">ZoneSubscription</h3>
<table>
<tr><td><code>subscriptionID</code></td><td><a href="#Name">Name</a> </td></tr>
<tr><td><code>subscriptionType</code></td><td><code>zone</code> </td></tr>
<tr><td><code>zoneID</code></td><td><a href="#ZoneID">ZoneID</a> </td></tr>
<tr><td><code>recordType</code> (optional)</td><td>string </td></tr>
<tr><td><code>notificationInfo</code> (optional)</td><td><a href="#NotificationInfo">NotificationInfo</a> </td></tr>
</table>
<h3 id="DatabaseSubscription">DatabaseSubscription</h3>
<table>
<tr><td><code>subscriptionID</code></td><td><a href="#Name">Name</a> </td></tr>
<tr><td><code>subscriptionType</code></td><td><code>database</code> </td></tr>
<tr><td><code>recordType</code> (optional)</td><td>string </td></tr>
<tr><td><code>notificationInfo</code> (optional)</td><td><a href="#NotificationInfo">NotificationInfo</a> </td></tr>
</table>
<h3 id="ModifySubscriptionsAnswer">ModifySubscriptionsAnswer</h3>
<table>
<tr><td><code>subscriptions</code></td><td>list of <a href="#Subscription">Subscription</a> or object or <a href="#SubscriptionError">SubscriptionError</a> </td></tr>
</table>
<h3 id="ListSubscriptionsAnswer">ListSubscriptionsAnswer</h3>
<table>
<tr><td><code>subscriptions</code></td><td>list of <a href="#Subscription">Subscription</a> </td></tr>
</table>
<h3 id="LookupSubscriptionsRequest">LookupSubscriptionsRequest</h3>
<table>
<tr><td><code>subscriptions</code></td><td>list of object </td></tr>
</table>
<h3 id="LookupSubscriptionsAnswer">LookupSubscriptionsAnswer</h3>
<table>
<tr><td><code>subscriptions</code></td><td>list of <a href="#Subscription">Subscription</a> or <a href="#SubscriptionError">SubscriptionError</a> </td></tr>
</table>
<h3 id="APNSEnvironment">APNSEnvironment</h3>
<p>The token's; independent of the records'.</p>
<pre>enum:
- development
- production</pre>
<h3 id="ClientToken">ClientToken</h3>
<p>32 bytes in base64. Who has it reads what is told to whoever registered it.</p>
<pre>type: string
pattern: ^[A-Za-z0-9+/]{43}=$</pre>
<h3 id="ClientRequest">ClientRequest</h3>
<table>
<tr><td><code>apnsEnvironment</code></td><td><a href="#APNSEnvironment">APNSEnvironment</a> </td></tr>
<tr><td><code>clientId</code> (optional)</td><td> What the client calls itself in <code>zonda-client</code>; it does not hear its own changes.</td></tr>
</table>
<h3 id="RegisterClientRequest">RegisterClientRequest</h3>
<table>
<tr><td><code>apnsEnvironment</code></td><td><a href="#APNSEnvironment">APNSEnvironment</a> </td></tr>
<tr><td><code>apnsToken</code></td><td><a href="#ClientToken">ClientToken</a> </td></tr>
<tr><td><code>clientId</code> (optional)</td><td><a href="#Name">Name</a> </td></tr>
</table>
<h3 id="ClientAnswer">ClientAnswer</h3>
<table>
<tr><td><code>apnsEnvironment</code></td><td><a href="#APNSEnvironment">APNSEnvironment</a> </td></tr>
<tr><td><code>apnsToken</code></td><td><a href="#ClientToken">ClientToken</a> </td></tr>
<tr><td><code>webcourierURL</code></td><td>string Where to poll, as it is. <code>ttl</code> is for how many seconds the registration lasts.</td></tr>
</table>
</body>
</html>

"""##
}
