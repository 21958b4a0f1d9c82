import AsyncHTTPClient
import CloudKitWire
package import NIOCore
import NIOHTTP1
package import ServiceMessages

/// Sends bytes to upload addresses and fetches them from download addresses, over HTTP.
package struct AssetTransfer: Sendable {
    private static let maxAnswerBytes = 1 << 20

    /// A transfer may last long, but one that ends again and again, or that nobody takes, is given up in about a minute.
    package static let policy = RetryPolicy(maxAttempts: 10)

    /// How long a command repeats and resumes a transfer.
    package static let commandLimit: Duration = .seconds(3600)

    /// From this size on an upload is begun with a request of its own, so that it can be resumed.
    static let resumableBytes: Int64 = 4 << 20

    private let client: HTTPClient
    private let policy: RetryPolicy
    private let resumableBytes: Int64
    /// Follows the transfers of a load.
    private let observer: (any TransferObserver)?

    /// Lends a transfer and closes its connections afterwards.
    ///
    /// - Parameter connections: how many transfers may be under way at once to one host.
    package static func with<Result>(
        connections: Int = 8, policy: RetryPolicy = Self.policy, resumableBytes: Int64 = Self.resumableBytes,
        observer: (any TransferObserver)? = nil,
        _ body: (AssetTransfer) async throws -> Result
    ) async throws -> Result {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            // Silence in the middle of a transfer means that the other side is gone. After an upload's last byte
            // the service still has to write it all to the disk.
            timeout: HTTPClient.Configuration.Timeout(connect: .seconds(5), read: .seconds(60), write: .seconds(60)))
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connections
        configuration.httpVersion = .http1Only
        return try await HTTPClient.withHTTPClient(configuration: configuration) { client in
            try await body(
                AssetTransfer(client: client, policy: policy, resumableBytes: resumableBytes, observer: observer))
        }
    }

    /// Sends `source` to `url`. What was cut off goes on where it ended when it is large and the service can do that
    /// (draft-ietf-httpbis-resumable-upload), and is sent again from its beginning otherwise.
    ///
    /// - Parameters:
    ///   - limit: how long to go on.
    ///   - memory: where an upload is remembered beyond this process; nil: nowhere.
    ///   - progress: is told how many bytes have been taken of the source.
    /// - Throws: `.unanswered` when the limit has passed or the address is none; `.local` for a fault of the source.
    package func upload(
        _ source: some AssetSource, to url: String, limit: Duration, memory: UploadMemory? = nil,
        progress: @escaping @Sendable (Int64) -> Void = { _ in }
    ) async throws(RequestFailure) -> Answer {
        let moved: @Sendable (Int64) -> Void = { [observer] bytes in
            observer?.noteProgress()
            progress(bytes)
        }
        var upload = ResumableUpload(
            ticket: url, size: source.size, isPlain: source.size < resumableBytes, remembered: memory?.address)
        let answer = try await answer(within: limit) { attempts, remaining throws(RequestFailure) in
            while true {
                var request = HTTPClientRequest(url: upload.next.url)
                request.method = .init(rawValue: upload.next.method)
                for (name, value) in upload.next.headers { request.headers.add(name: name, value: value) }
                if let offset = upload.next.bodyOffset { request.body = source.body(from: offset, progress: moved) }
                var headers = HTTPHeaders()
                let outcome = try await attempt(request, remaining: remaining) { response in
                    headers = response.headers
                    let body = try await response.body.collect(upTo: Self.maxAnswerBytes)
                    return Answer(
                        status: Int(response.status.code), body: Array(body.readableBytesView), attempts: attempts)
                }
                guard case .answered(let answer) = outcome else {
                    upload.wasCutOff()
                    return outcome
                }
                let isOver = upload.take(
                    status: answer.status, location: headers.first(name: "location"),
                    offset: headers.first(name: "upload-offset").flatMap { Int64($0) })
                memory?.address = upload.address
                if isOver { return outcome }
            }
        }
        // Whatever the answer says, it is the upload's last one.
        if answer.status != 503, answer.status != 429 { memory?.address = nil }
        return answer
    }

    /// Fetches what is at `url` and gives it to `take`, in order. What was cut off is asked for again from where it
    /// ended; that is safe because an address stands for one content.
    ///
    /// - Parameters:
    ///   - offset: what is there already, bytes.
    ///   - checksum: of the whole content. A service that has another one now sends all of that.
    ///   - limit: how long to go on.
    /// - Throws: `.refused` when there is no such thing or its file is gone, `.unanswered`, and what `take` throws.
    package func download(
        from url: String, at offset: Int64 = 0, of checksum: AssetChecksum? = nil, limit: Duration,
        _ take: (ByteBuffer) async throws(RequestFailure) -> Void
    ) async throws(RequestFailure) {
        var received = Int(offset)
        let answer = try await answer(within: limit) { attempts, remaining throws(RequestFailure) in
            var request = HTTPClientRequest(url: url)
            if received > 0 {
                request.headers.add(name: "range", value: "bytes=\(received)-")
                if let checksum { request.headers.add(name: "if-range", value: "\"\(checksum.hex)\"") }
            }
            return try await attempt(request, remaining: remaining) { response in
                let status = Int(response.status.code)
                guard status == 200 || status == 206 else {
                    let body = try await response.body.collect(upTo: Self.maxAnswerBytes)
                    let answer = Answer(status: status, body: Array(body.readableBytesView), attempts: attempts)
                    if let refusal = answer.refusal, refusal.saysBytesAreGone { throw RequestFailure.refused(refusal) }
                    return answer
                }
                // Who does not know ranges sends everything again.
                var known = status == 206 ? 0 : received
                for try await var buffer in response.body {
                    let skipped = min(known, buffer.readableBytes)
                    buffer.moveReaderIndex(forwardBy: skipped)
                    known -= skipped
                    guard buffer.readableBytes > 0 else { continue }
                    try await take(buffer)
                    observer?.noteProgress()
                    received += buffer.readableBytes
                }
                return Answer(status: 200, body: [], attempts: attempts)
            }
        }
        if !answer.isGood { _ = try answer.json() }
    }

    /// As ``RetryPolicy/answer(within:_:)``; the observer follows the whole wait.
    private func answer(
        within limit: Duration,
        _ attempt: (_ number: Int, _ remaining: Duration) async throws(RequestFailure) -> RetryPolicy.Attempt
    ) async throws(RequestFailure) -> Answer {
        guard let observer else { return try await policy.answer(within: limit, attempt) }
        return try await observer.observing { () async throws(RequestFailure) in
            try await policy.answer(within: limit, attempt)
        }
    }

    /// Sends `request` once and reads its answer with `read`. Trouble with the connection may pass; an address that is
    /// none stays so.
    private func attempt(
        _ request: HTTPClientRequest, remaining: Duration, _ read: (HTTPClientResponse) async throws -> Answer
    ) async throws(RequestFailure) -> RetryPolicy.Attempt {
        do {
            let response = try await client.execute(request, deadline: .now() + .nanoseconds(remaining.nanoseconds))
            return .answered(try await read(response))
        } catch let failure as RequestFailure {
            throw failure
        } catch let error as HTTPClientError where Self.hopelessErrors.contains(error) {
            throw .unanswered(reason: "the address cannot be asked: \(error)")
        } catch {
            return .silence(reason: "\(error)")
        }
    }

    private static let hopelessErrors: [HTTPClientError] = [.invalidURL, .emptyHost, .emptyScheme, .cancelled]
}

extension RequestFailure.Refusal {
    /// Whether the service knows the asset but has no file of it: one that seconds do not bring back.
    package var saysBytesAreGone: Bool { reasonCode == "asset_not_available" }
}

extension Answer {
    /// The error that the answer is, as far as it can be read.
    fileprivate var refusal: RequestFailure.Refusal? {
        (try? JSONValue(parsing: body)).flatMap { RequestFailure.Refusal($0) }
    }
}

extension Duration {
    /// The duration in nanoseconds, as far as they fit.
    fileprivate var nanoseconds: Int64 { Int64(min(seconds, 1e9) * 1e9) }
}
