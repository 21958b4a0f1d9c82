package import CloudKitWire
package import NIOCore
package import ServiceMessages

/// What a record's field is asked for.
package struct AssetPlace: Sendable {
    /// The record's zone.
    package var zone: String
    /// The record's name.
    package var recordName: String
    /// The field.
    package var field: String
    /// Which asset of a list.
    package var index: Int

    /// The asset of that field, or the asset at `index` of its list.
    package init(zone: String, recordName: String, field: String, index: Int = 0) {
        self.zone = zone
        self.recordName = recordName
        self.field = field
        self.index = index
    }
}

/// Where one file may be uploaded to.
package struct UploadAddress: Sendable {
    /// The record that it is for: the one named, else a new name.
    package var recordName: String
    /// The address; empty when nothing need be sent.
    package var url: String
    /// The asset that the service has already, which this user need not send again.
    package var asset: AssetValue?
}

extension Requester {
    /// Asks where to upload `count` files (at most 200) for `field`, in order.
    ///
    /// - Parameter source: the file, when it is one: what the user has in that database already is not sent again.
    /// - Throws: the request's failure.
    package func uploadAddresses(
        _ count: Int, type: String?, recordName: String?, field: String, source: (any AssetSource)? = nil,
        limit: Duration
    ) async throws(RequestFailure) -> [UploadAddress] {
        let token = JSONValue.object(having: [
            ("recordType", type.map { .string($0) }), ("recordName", recordName.map { .string($0) }),
            ("fieldName", .string(field)), ("fileChecksum", source.map { .string($0.checksum.fileChecksum) }),
            ("size", source.map { .int($0.size) }),
        ])
        let answer = try await ask(
            .assetsUpload, ["tokens": .array(Array(repeating: token, count: count))], limit: limit)
        let addresses = (answer["tokens"]?.array ?? []).compactMap { token -> UploadAddress? in
            guard let name = token["recordName"]?.string else { return nil }
            if let asset = token["singleFile"].flatMap({ AssetValue($0) }) {
                return UploadAddress(recordName: name, url: "", asset: asset)
            }
            return token["url"]?.string.map { UploadAddress(recordName: name, url: $0) }
        }
        guard addresses.count == count else {
            throw .unanswered(reason: "\(count) upload addresses were asked for and \(addresses.count) came")
        }
        return addresses
    }

    /// Uploads `source` to an address that ``uploadAddresses(_:type:recordName:field:source:limit:)`` gave, unless the
    /// service has it.
    ///
    /// - Returns: the dictionary that goes into the record.
    /// - Throws: as ``AssetTransfer/upload(_:to:limit:memory:progress:)``; `.refused`; `.local(.checksumMismatch)` when the
    ///   service has other bytes.
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

    /// Uploads `source` in the request itself: at most 1 MiB.
    ///
    /// - Returns: the dictionary that goes into the record.
    /// - Throws: the request's failure; `.local(.checksumMismatch)` when the service has other bytes.
    package func put(_ source: AssetBytes, limit: Duration) async throws(RequestFailure) -> AssetValue {
        var request = Request(.assetsPut, body: source.bytes)
        request.contentType = "application/octet-stream"
        return try AssetValue(receiptIn: try await ask(request, limit: limit), for: source)
    }

    /// Looks up the asset in a record's field.
    ///
    /// - Throws: the failure of the request or of the record; `.local(.noAsset)` when the field has none there.
    package func asset(at place: AssetPlace, limit: Duration) async throws(RequestFailure) -> AssetValue {
        let answer = try await ask(
            .recordsLookup,
            [
                "zoneID": ["zoneName": .string(place.zone)], "desiredKeys": [.string(place.field)],
                "records": [["recordName": .string(place.recordName)]],
            ], limit: limit)
        let record = answer["records"]?[0] ?? .null
        if let refusal = RequestFailure.Refusal(record) { throw .refused(refusal) }
        let value = record["fields"]?[place.field]?["value"] ?? .null
        guard let asset = AssetValue((value.array == nil ? .array([value]) : value)[place.index] ?? .null) else {
            throw .local(
                .noAsset,
                reason: "the field '\(place.field)' of '\(place.recordName)' has no asset of index \(place.index)")
        }
        return asset
    }

    /// Downloads `asset`, gives its bytes to `take`, in order and each time with how many have come, and compares their
    /// checksum.
    ///
    /// - Parameter part: what has come before, and is not given to `take`.
    /// - Throws: as ``AssetTransfer/download(from:at:of:limit:_:)``; `.local(.checksumMismatch)` for other bytes,
    ///   `.local(.noAsset)` when the asset has no address.
    package func download(
        _ asset: AssetValue, after part: (count: Int64, digest: AssetDigest) = (0, AssetDigest()),
        over transfer: AssetTransfer, limit: Duration,
        _ take: (_ piece: ByteBuffer, _ received: Int64) async throws(RequestFailure) -> Void
    ) async throws(RequestFailure) {
        guard let url = asset.downloadURL else {
            throw .local(.noAsset, reason: "the service gave no address for the asset: it knows none (ZONDA_ASSET_URL)")
        }
        var digest = part.digest
        var received = part.count
        // Of a whole part nothing is asked for: there is no range behind its end.
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
                reason: "\(received) bytes of SHA-256 \(digest.checksum) came, not \(asset.size) of \(asset.checksum)")
        }
    }

    /// The asset of a record, with a receipt for other records of the same database.
    ///
    /// - Throws: the request's failure; `.local(.noAsset)` when the answer has none.
    package func rereference(_ place: AssetPlace, limit: Duration) async throws(RequestFailure) -> AssetValue {
        let answer = try await ask(
            .assetsRereference,
            [
                "zoneID": ["zoneName": .string(place.zone)],
                "assets": [["recordName": .string(place.recordName), "fieldName": .string(place.field)]],
            ], limit: limit)
        guard let asset = AssetValue(answer["assets"]?[0] ?? .null) else {
            throw .local(.noAsset, reason: "no asset came for '\(place.recordName)'")
        }
        return asset
    }

    /// Downloads `asset` to `file`, from where an earlier download ended, and compares the checksum. Bytes that do not
    /// belong to what was there before are fetched once more, all of them.
    ///
    /// - Parameter progress: is told how many bytes have come.
    /// - Throws: as ``download(_:over:limit:_:)``.
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

    /// What the store knows of a content: an operator's request.
    ///
    /// - Throws: the request's failure.
    package func assetStatus(of checksum: AssetChecksum, container: String) async throws(RequestFailure) -> JSONValue {
        try await ask(
            .assetsStat, ["container": .string(container), "checksum": .string(checksum.hex)],
            limit: .requestLimit)
    }
}
