import CloudKitWire
import NIOCore
import ServiceMessages

/// What a record's field is asked for.
struct AssetPlace: Sendable {
    /// The record's zone.
    var zone: String
    /// The record's name.
    var recordName: String
    /// The field.
    var field: String
    /// Which asset of a list.
    var index = 0
}

/// Where one file may be uploaded to.
struct UploadAddress: Sendable {
    /// The record that it is for: the one named, else a new name.
    var recordName: String
    /// The address.
    var url: String
}

extension Requester {
    /// Asks where to upload `count` files (at most 200) for `field`, in order.
    ///
    /// - Throws: the request's failure.
    func uploadAddresses(
        _ count: Int, type: String?, recordName: String?, field: String, limit: Duration
    ) async throws(RequestFailure) -> [UploadAddress] {
        let token = JSONValue.object(having: [
            ("recordType", type.map { .string($0) }), ("recordName", recordName.map { .string($0) }),
            ("fieldName", .string(field)),
        ])
        let answer = try await ask(
            .assetsUpload, ["tokens": .array(Array(repeating: token, count: count))], limit: limit)
        let addresses = (answer["tokens"]?.array ?? []).compactMap { token -> UploadAddress? in
            guard let name = token["recordName"]?.string, let url = token["url"]?.string else { return nil }
            return UploadAddress(recordName: name, url: url)
        }
        guard addresses.count == count else {
            throw .unanswered(reason: "\(count) upload addresses were asked for and \(addresses.count) came")
        }
        return addresses
    }

    /// Uploads `source` to an address that ``uploadAddresses(_:type:recordName:field:limit:)`` gave.
    ///
    /// - Returns: the dictionary that goes into the record.
    /// - Throws: as ``AssetTransfer/upload(_:to:limit:progress:)``; `.refused`; `.local(.checksumMismatch)` when the
    ///   service has other bytes.
    func upload(
        _ source: some AssetSource, to address: UploadAddress, over transfer: AssetTransfer, limit: Duration,
        progress: @escaping @Sendable (Int64) -> Void = { _ in }
    ) async throws(RequestFailure) -> AssetValue {
        let answer = try await transfer.upload(source, to: address.url, limit: limit, progress: progress)
        return try AssetValue(receiptIn: answer, for: source)
    }

    /// Uploads `source` in the request itself: at most 1 MiB.
    ///
    /// - Returns: the dictionary that goes into the record.
    /// - Throws: the request's failure; `.local(.checksumMismatch)` when the service has other bytes.
    func put(_ source: AssetBytes, limit: Duration) async throws(RequestFailure) -> AssetValue {
        var request = Request(.assetsPut, body: source.bytes)
        request.contentType = "application/octet-stream"
        return try AssetValue(receiptIn: try await ask(request, limit: limit), for: source)
    }

    /// Looks up the asset in a record's field.
    ///
    /// - Throws: the failure of the request or of the record; `.local(.noAsset)` when the field has none there.
    func asset(at place: AssetPlace, limit: Duration) async throws(RequestFailure) -> AssetValue {
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
    /// - Throws: as ``AssetTransfer/download(from:limit:_:)``; `.local(.checksumMismatch)` for other bytes,
    ///   `.local(.noAsset)` when the asset has no address.
    func download(
        _ asset: AssetValue, over transfer: AssetTransfer, limit: Duration,
        _ take: (_ piece: ByteBuffer, _ received: Int64) async throws(RequestFailure) -> Void
    ) async throws(RequestFailure) {
        guard let url = asset.downloadURL else {
            throw .local(.noAsset, reason: "the service gave no address for the asset: it knows none (ZONDA_ASSET_URL)")
        }
        var digest = AssetDigest()
        var received: Int64 = 0
        try await transfer.download(from: url, limit: limit) { buffer throws(RequestFailure) in
            digest.update(buffer)
            received += Int64(buffer.readableBytes)
            try await take(buffer, received)
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
    func rereference(_ place: AssetPlace, limit: Duration) async throws(RequestFailure) -> AssetValue {
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

    /// What the store knows of a content: an operator's request.
    ///
    /// - Throws: the request's failure.
    func assetStatus(of checksum: AssetChecksum, container: String) async throws(RequestFailure) -> JSONValue {
        try await ask(
            .assetsStat, ["container": .string(container), "checksum": .string(checksum.hex)],
            limit: GlobalOptions.requestLimit)
    }
}
