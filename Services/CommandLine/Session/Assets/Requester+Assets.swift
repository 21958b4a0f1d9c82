import CloudKitWire
package import NIOCore
package import OperatorMessages
package import ServiceMessages

/// The place of an asset: a field of a record and, if the field is a list, an index.
package struct AssetPlace: Sendable {
    /// The record's zone.
    package var zone: String
    /// The user who owns the zone; nil for the owner of the database.
    package var owner: String?
    /// The record's name.
    package var recordName: String
    /// The field.
    package var field: String
    /// The index in the list; 0 if the field is not a list.
    package var index: Int

    /// Creates the place of the asset in `field` or, if the field is a list, of the asset at `index`.
    package init(zone: String, owner: String? = nil, recordName: String, field: String, index: Int = 0) {
        self.zone = zone
        self.owner = owner
        self.recordName = recordName
        self.field = field
        self.index = index
    }

    /// The zone as a zone ID dictionary.
    var zoneID: JSONValue { ZonePlace(zone, owner: owner).json }
}

/// An upload address for one file.
package struct UploadAddress: Sendable {
    /// The name of the record: the requested name, or a new one.
    package var recordName: String
    /// The address; empty if no bytes need to be sent.
    package var url: String
    /// The asset, if the service already has its bytes from this user.
    package var asset: AssetValue?
}

extension Requester {
    /// Requests upload addresses for `count` files (at most 200) to be stored in `field`.
    ///
    /// - Parameters:
    ///   - source: the file, if there is only one. If the user has already stored its bytes in the database, they need
    ///     not be sent again.
    ///   - zone: the zone of the record; nil if the zone belongs to the user.
    /// - Throws: the request's failure.
    package func uploadAddresses(
        _ count: Int, type: String?, recordName: String?, field: String, source: (any AssetSource)? = nil,
        zone: ZonePlace? = nil, limit: Duration
    ) async throws(RequestFailure) -> [UploadAddress] {
        let token = JSONValue.object(having: [
            ("recordType", type.map { .string($0) }), ("recordName", recordName.map { .string($0) }),
            ("fieldName", .string(field)), ("fileChecksum", source.map { .string($0.checksum.fileChecksum) }),
            ("size", source.map { .int($0.size) }),
        ])
        let body = JSONValue.object(having: [
            ("tokens", .array(Array(repeating: token, count: count))), ("zoneID", zone?.json),
        ])
        let answer = try await ask(.assetsUpload, body, limit: limit)
        let addresses = (answer["tokens"]?.array ?? []).compactMap { token -> UploadAddress? in
            guard let name = token["recordName"]?.string else { return nil }
            if let asset = token["singleFile"].flatMap({ AssetValue($0) }) {
                return UploadAddress(recordName: name, url: "", asset: asset)
            }
            return token["url"]?.string.map { UploadAddress(recordName: name, url: $0) }
        }
        guard addresses.count == count else {
            throw .unanswered(reason: "requested \(count) upload addresses but received \(addresses.count)")
        }
        return addresses
    }

    /// Uploads `source` to an address from ``uploadAddresses(_:type:recordName:field:source:zone:limit:)``, unless the
    /// service already has the bytes.
    ///
    /// - Returns: the asset dictionary for the record.
    /// - Throws: the same errors as ``AssetTransfer/upload(_:to:limit:memory:progress:)``; `.refused`;
    ///   `.local(.checksumMismatch)` if the service received different bytes.
    package func upload(
        _ source: some AssetSource, to address: UploadAddress, over transfer: AssetTransfer, limit: Duration,
        memory: UploadMemory? = nil, progress: @escaping @Sendable (Int64) -> Void = { _ in }
    ) async throws(RequestFailure) -> AssetValue {
        if let asset = address.asset, asset.checksum == source.checksum, asset.size == source.size {
            progress(source.size)
            return asset
        }
        let answer = try await transfer.upload(
            source, to: address.url, limit: limit, memory: memory, progress: progress)
        return try AssetValue(receiptIn: answer, for: source)
    }

    /// Uploads `source` (at most 1 MiB) in the body of a request.
    ///
    /// - Returns: the asset dictionary for the record.
    /// - Throws: the request's failure; `.local(.checksumMismatch)` if the service received different bytes.
    package func put(_ source: AssetBytes, limit: Duration) async throws(RequestFailure) -> AssetValue {
        var request = Request(.assetsPut, body: source.bytes)
        request.contentType = "application/octet-stream"
        return try AssetValue(receiptIn: try await ask(request, limit: limit), for: source)
    }

    /// Looks up the asset in a record's field.
    ///
    /// - Throws: the failure of the request or of the record; `.local(.noAsset)` if the field has no asset at that
    ///   index.
    package func asset(at place: AssetPlace, limit: Duration) async throws(RequestFailure) -> AssetValue {
        let answer = try await ask(
            .recordsLookup,
            [
                "zoneID": place.zoneID, "desiredKeys": [.string(place.field)],
                "records": [["recordName": .string(place.recordName)]],
            ], limit: limit)
        let record = answer["records"]?[0] ?? .null
        if let refusal = RequestFailure.Refusal(record) { throw .refused(refusal) }
        let value = record["fields"]?[place.field]?["value"] ?? .null
        guard let asset = AssetValue((value.array == nil ? .array([value]) : value)[place.index] ?? .null) else {
            throw .local(
                .noAsset,
                reason: "the field '\(place.field)' of '\(place.recordName)' has no asset at index \(place.index)")
        }
        return asset
    }

    /// Downloads `asset` and verifies the checksum. The bytes are passed to `take` in order, together with the number
    /// of bytes received so far.
    ///
    /// - Parameter part: the number and the digest of the bytes that an earlier download received. These bytes are not
    ///   passed to `take`.
    /// - Throws: the same errors as ``AssetTransfer/download(from:at:of:limit:_:)``; `.local(.checksumMismatch)` if the
    ///   bytes differ; `.local(.noAsset)` if the asset has no address.
    package func download(
        _ asset: AssetValue, after part: (count: Int64, digest: AssetDigest) = (0, AssetDigest()),
        over transfer: AssetTransfer, limit: Duration,
        _ take: (_ piece: ByteBuffer, _ received: Int64) async throws(RequestFailure) -> Void
    ) async throws(RequestFailure) {
        guard let url = asset.downloadURL else {
            throw .local(
                .noAsset, reason: "the asset has no download address: set ZONDA_ASSET_URL for the record service")
        }
        var digest = part.digest
        var received = part.count
        // If all bytes are present, none are requested, because no range can begin after the last byte.
        if received < asset.size || received == 0 {
            try await transfer.download(from: url, at: received, of: asset.checksum, limit: limit) {
                buffer throws(RequestFailure) in
                digest.update(buffer)
                received += Int64(buffer.readableBytes)
                try await take(buffer, received)
            }
        }
        guard received == asset.size, digest.checksum == asset.checksum else {
            throw .local(
                .checksumMismatch,
                reason: "received \(received) bytes with SHA-256 \(digest.checksum) instead of "
                    + "\(asset.size) bytes with SHA-256 \(asset.checksum)"
            )
        }
    }

    /// Requests a receipt for a record's asset, for use in other records in the same database.
    ///
    /// - Throws: the request's failure; `.local(.noAsset)` if the answer contains no asset.
    package func rereference(_ place: AssetPlace, limit: Duration) async throws(RequestFailure) -> AssetValue {
        let answer = try await ask(
            .assetsRereference,
            [
                "zoneID": place.zoneID,
                "assets": [["recordName": .string(place.recordName), "fieldName": .string(place.field)]],
            ], limit: limit)
        guard let asset = AssetValue(answer["assets"]?[0] ?? .null) else {
            throw .local(.noAsset, reason: "the answer contains no asset for '\(place.recordName)'")
        }
        return asset
    }

    /// Downloads `asset` to `file`, resuming an interrupted download, and verifies the checksum. If the earlier bytes
    /// do not belong to the asset, everything is downloaded again.
    ///
    /// - Parameter progress: called with the number of bytes received so far.
    /// - Throws: the same errors as ``download(_:after:over:limit:_:)``.
    package func download(
        _ asset: AssetValue, to file: DownloadFile, over transfer: AssetTransfer, limit: Duration,
        progress: (Int64) -> Void = { _ in }
    ) async throws(RequestFailure) {
        let part = try await file.resume(asset.size)
        if part.count > 0 {
            do throws(RequestFailure) {
                return try await download(asset, after: part, over: transfer, limit: limit) {
                    piece, received throws(RequestFailure) in
                    try await file.append(piece)
                    progress(received)
                }
            } catch {
                guard error.code == RequestFailure.LocalFault.checksumMismatch.rawValue else { throw error }
            }
            try await file.restart()
        }
        try await download(asset, over: transfer, limit: limit) { piece, received throws(RequestFailure) in
            try await file.append(piece)
            progress(received)
        }
    }

    /// Requests the state of stored content, as an operator.
    ///
    /// - Throws: the request's failure.
    package func assetStatus(of checksum: AssetChecksum, container: String) async throws(RequestFailure)
        -> AssetStatus
    {
        try await ask(AssetStatRequest(container: container, checksum: checksum.hex))
    }
}
