internal import AsyncHTTPClient
internal import CloudKitModel
internal import CloudKitWire
internal import NIOCore
internal import NIOHTTP1
internal import ResumableUploads

/// Uploads the assets of records to one zone.
///
/// Each file is read twice: for its checksum, with which the server may find that it already has the content, and to be
/// sent. The server accepts only bytes with the checksum, so that a file that changes in between is not saved.
struct AssetUploads: Sendable {
    /// The largest number of assets in a request.
    static let maxTokens = 200
    /// The number of files that are read or sent at the same time.
    static let maxTransfers = 4
    /// The smallest file whose upload can be continued after an interruption. Such an upload begins with an additional
    /// request.
    static let resumableBytes: Int64 = 4 << 20
    /// How long an interrupted upload is continued without progress.
    static let maxStandstill: Duration = .seconds(60)

    let connection: WebConnection
    let database: DatabaseScope
    /// The dictionary of the zone.
    let zoneID: JSONValue

    private struct Prepared: Sendable {
        var index: Int
        var file: AssetSourceFile
        var checksum: String
    }

    /// Uploads files.
    ///
    /// - Parameter progress: called with the index of an upload, and the fraction of its file that has been sent.
    /// - Returns: for each upload, the value to save; or an error, such as ``CKError/Code/assetFileNotFound`` or
    ///   ``CKError/Code/assetFileModified``.
    func upload(
        _ uploads: [AssetUpload], progress: @escaping @Sendable (Int, Double) -> Void = { _, _ in }
    ) async -> [Result<Asset, CKError>] {
        var results: [Result<Asset, CKError>] = []
        for start in stride(from: 0, to: uploads.count, by: Self.maxTokens) {
            let part = Array(uploads[start..<min(start + Self.maxTokens, uploads.count)])
            results += await uploadPart(part) { progress(start + $0, $1) }
        }
        return results
    }

    private func uploadPart(
        _ uploads: [AssetUpload], progress: @escaping @Sendable (Int, Double) -> Void
    ) async -> [Result<Asset, CKError>] {
        let checksums = await Self.each(uploads.indices) { index throws(CKError) in
            try await AssetSourceFile(uploads[index].file).checksumAndSize()
        }
        let readable = uploads.indices.filter { if case .success = checksums[$0] { true } else { false } }
        var results = checksums.map { $0.flatMap { _ in Result<Asset, CKError>.failure(CKError(.internalError)) } }
        guard !readable.isEmpty else { return results }
        do throws(CKError) {
            let known = try readable.map { index throws(CKError) in try checksums[index].get() }
            let answers = try await request(readable.map { uploads[$0] }, known)
            let sent = await Self.each(readable.indices) { position throws(CKError) in
                try await send(
                    uploads[readable[position]], known[position], answers[position],
                    progress: { progress(readable[position], $0) })
            }
            for (index, result) in zip(readable, sent) { results[index] = result }
        } catch {
            for index in readable { results[index] = .failure(error) }
        }
        return results
    }

    /// Asks for the addresses of some uploads.
    private func request(
        _ uploads: [AssetUpload], _ contents: [(checksum: String, size: Int64)]
    ) async throws(CKError) -> [JSONValue] {
        let tokens: [JSONValue] = zip(uploads, contents).map { upload, content in
            [
                "recordType": .string(upload.recordType), "recordName": .string(upload.recordName),
                "fieldName": .string(upload.fieldName), "fileChecksum": .string(content.checksum),
                "size": .int(content.size),
            ]
        }
        let body: JSONValue = ["zoneID": zoneID, "tokens": .array(tokens)]
        let answer = try await connection.send(WebRequest("assets/upload", in: database, body: body.encoded()))
        guard let answers = (try? JSONValue(parsing: answer))?["tokens"]?.array, answers.count == tokens.count else {
            throw .unexpectedAnswer("it has no address for each asset")
        }
        return answers
    }

    /// Sends a file, unless the server already has its content.
    private func send(
        _ upload: AssetUpload, _ content: (checksum: String, size: Int64), _ answer: JSONValue,
        progress: @escaping @Sendable (Double) -> Void
    ) async throws(CKError) -> Asset {
        if let fault = ServerFault(answer) { throw fault.error() }
        if let asset = answer["singleFile"] {
            progress(1)
            return try Asset(receipt: asset)
        }
        guard let url = answer["url"]?.string else { throw .unexpectedAnswer("it has no address for the asset") }
        let file = try await AssetSourceFile(upload.file)
        guard file.size == content.size else { throw file.modified }
        let size = Double(max(1, file.size))
        let body = try await transfer(file, to: url) { progress(Double($0) / size) }
        try file.checkUnchanged()
        guard let asset = (try? JSONValue(parsing: body))?["singleFile"] else {
            throw .unexpectedAnswer("it has no receipt for the asset")
        }
        let receipt = try Asset(receipt: asset)
        guard receipt.fileChecksum == content.checksum else { throw file.modified }
        progress(1)
        return receipt
    }

    private func transfer(
        _ file: AssetSourceFile, to url: String, progress: @escaping @Sendable (Int64) -> Void
    ) async throws(CKError) -> [UInt8] {
        var upload = ResumableUpload(ticket: url, size: file.size, isPlain: file.size < Self.resumableBytes)
        let position = TransferPosition()
        while true {
            let body = try await connection.transferring(position, standstill: Self.maxStandstill) {
                () async throws(WebConnection.Attempt) -> [UInt8]? in
                try await step(&upload, file) { offset in
                    position.reached(offset)
                    progress(offset)
                }
            }
            if let body { return body }
        }
    }

    /// Sends the next request of an upload. Returns the body of the answer, if it is the last one.
    private func step(
        _ upload: inout ResumableUpload, _ file: AssetSourceFile, progress: @escaping @Sendable (Int64) -> Void
    ) async throws(WebConnection.Attempt) -> [UInt8]? {
        var request = HTTPClientRequest(url: upload.next.url)
        request.method = .init(rawValue: upload.next.method)
        for (name, value) in upload.next.headers { request.headers.add(name: name, value: value) }
        if let offset = upload.next.bodyOffset {
            request.body = .stream(
                AssetSourceChunks(file: file, offset: offset, progress: progress),
                length: .known(max(0, file.size - offset)))
        }
        let answer: WebConnection.RawAnswer
        do {
            answer = try await connection.exchange(request, isWrite: true)
        } catch {
            upload.wasCutOff()
            throw error
        }
        let isLast = upload.take(
            status: answer.status, location: answer.headers.first(name: "location"),
            offset: answer.headers.first(name: "upload-offset").flatMap { Int64($0) })
        guard isLast else { return nil }
        guard answer.status == 200 || answer.status == 201 else {
            let error = answer.error
            if error.userInfo[ZondaErrorKey.reasonCode] as? String == ReasonCode.checksumMismatch.rawValue {
                throw WebConnection.Attempt(error: file.modified)
            }
            throw WebConnection.Attempt(error: error)
        }
        return answer.body
    }

    /// Calls `work` for each index, for some at the same time, and returns the results in order.
    static func each<Value: Sendable>(
        _ indices: Range<Int>, _ work: @escaping @Sendable (Int) async throws(CKError) -> Value
    ) async -> [Result<Value, CKError>] {
        await withTaskGroup(of: (Int, Result<Value, CKError>).self) { group in
            var rest = indices.makeIterator()
            func begin() {
                guard let index = rest.next() else { return }
                group.addTask {
                    do throws(CKError) {
                        return (index, .success(try await work(index)))
                    } catch {
                        return (index, .failure(error))
                    }
                }
            }
            for _ in 0..<maxTransfers { begin() }
            var results: [Int: Result<Value, CKError>] = [:]
            while let (index, result) = await group.next() {
                results[index] = result
                begin()
            }
            return indices.compactMap { results[$0] }
        }
    }
}

extension AssetSourceFile {
    fileprivate func checksumAndSize() async throws(CKError) -> (checksum: String, size: Int64) {
        let checksum = try await checksum()
        try checkUnchanged()
        return (checksum, size)
    }
}

extension Asset {
    /// Reads the dictionary that proves an upload.
    fileprivate init(receipt json: JSONValue) throws(CKError) {
        guard let checksum = json["fileChecksum"]?.string, let size = json["size"]?.int,
            let receipt = json["receipt"]?.string
        else { throw .unexpectedAnswer("the receipt for the asset is incomplete") }
        self.init(
            fileChecksum: checksum, size: size, receipt: receipt,
            referenceChecksum: json["referenceChecksum"]?.string, wrappingKey: json["wrappingKey"]?.string)
    }
}
