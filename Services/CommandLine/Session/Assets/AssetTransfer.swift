import AsyncHTTPClient
import CloudKitWire
package import NIOCore
import NIOHTTP1
import ResumableUploads
package import ServiceMessages

/// Uploads and downloads bytes over HTTP.
package struct AssetTransfer: Sendable {
    private static let maxAnswerBytes = 1 << 20

    /// The default policy. A transfer can take a long time, but it is abandoned after about a minute of failed
    /// attempts.
    package static let policy = RetryPolicy(maxAttempts: 10)

    /// The maximum time for which a command retries and resumes a transfer.
    package static let commandLimit: Duration = .seconds(3600)

    /// The minimum size of a resumable upload, in bytes. Such an upload begins with an additional request.
    static let resumableBytes: Int64 = 4 << 20

    private let client: HTTPClient
    private let policy: RetryPolicy
    private let resumableBytes: Int64
    /// The observer of the transfers, if any.
    private let observer: (any TransferObserver)?

    /// Calls `body` with a transfer, and closes the connections afterwards.
    ///
    /// - Parameter connections: the maximum number of simultaneous transfers per host.
    package static func with<Result>(
        connections: Int = 8, policy: RetryPolicy = Self.policy, resumableBytes: Int64 = Self.resumableBytes,
        observer: (any TransferObserver)? = nil,
        _ body: (AssetTransfer) async throws -> Result
    ) async throws -> Result {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            // A peer that neither sends nor receives for a minute is considered lost. The timeout must be long enough
            // for the service to write all bytes of an upload to disk after it has received the last byte.
            timeout: HTTPClient.Configuration.Timeout(connect: .seconds(5), read: .seconds(60), write: .seconds(60)))
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connections
        configuration.httpVersion = .http1Only
        return try await HTTPClient.withHTTPClient(configuration: configuration) { client in
            try await body(
                AssetTransfer(client: client, policy: policy, resumableBytes: resumableBytes, observer: observer))
        }
    }

    /// Uploads `source` to `url`. An interrupted upload is resumed if it is large and the service supports resumable
    /// uploads (draft-ietf-httpbis-resumable-upload); otherwise, it is restarted from the beginning.
    ///
    /// - Parameters:
    ///   - limit: the maximum total duration of all attempts.
    ///   - memory: stores the upload's address for a later process; nil to store none.
    ///   - progress: called with the number of bytes read from the source so far.
    /// - Throws: `.unanswered` if the time limit is exceeded or the address is invalid; `.local` if the source cannot
    ///   be read.
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
        // After a final response, whether the upload succeeded or failed, the address is no longer needed.
        if answer.status != 503, answer.status != 429 { memory?.address = nil }
        return answer
    }

    /// Downloads the content at `url` and passes it to `take`, in order. An interrupted download is resumed. This is
    /// safe because the content at an address never changes.
    ///
    /// - Parameters:
    ///   - offset: the number of bytes, from the beginning, that the caller already has.
    ///   - checksum: the checksum of the whole content. If the service has different bytes, it sends all of them.
    ///   - limit: the maximum total duration of all attempts.
    /// - Throws: `.refused` if the asset or its file does not exist, `.unanswered`, and any error that `take` throws.
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
                // A service that does not support ranges sends everything again.
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

    /// Calls ``RetryPolicy/answer(within:_:)``. The observer counts the request as outstanding until the call ends.
    private func answer(
        within limit: Duration,
        _ attempt: (_ number: Int, _ remaining: Duration) async throws(RequestFailure) -> RetryPolicy.Attempt
    ) async throws(RequestFailure) -> Answer {
        guard let observer else { return try await policy.answer(within: limit, attempt) }
        return try await observer.observing { () async throws(RequestFailure) in
            try await policy.answer(within: limit, attempt)
        }
    }

    /// Sends `request` once and reads its answer with `read`. The attempt can be repeated if the connection fails, but
    /// not if the address is invalid.
    private func attempt(
        _ request: HTTPClientRequest, remaining: Duration, _ read: (HTTPClientResponse) async throws -> Answer
    ) async throws(RequestFailure) -> RetryPolicy.Attempt {
        do {
            let response = try await client.execute(request, deadline: .now() + .nanoseconds(remaining.nanoseconds))
            return .answered(try await read(response))
        } catch let failure as RequestFailure {
            throw failure
        } catch let error as HTTPClientError where Self.hopelessErrors.contains(error) {
            throw .unanswered(reason: "the address is invalid: \(error)")
        } catch {
            return .silence(reason: "\(error)")
        }
    }

    private static let hopelessErrors: [HTTPClientError] = [.invalidURL, .emptyHost, .emptyScheme, .cancelled]
}

extension RequestFailure.Refusal {
    /// Whether the asset exists but its file is missing, in which case a retry within seconds is pointless.
    package var saysBytesAreGone: Bool { reasonCode == "asset_not_available" }
}

extension Answer {
    /// The error in the response; nil if none can be parsed.
    fileprivate var refusal: RequestFailure.Refusal? {
        (try? JSONValue(parsing: body)).flatMap { RequestFailure.Refusal($0) }
    }
}

extension Duration {
    /// The duration in nanoseconds. Durations above a billion seconds are shortened to a billion seconds.
    fileprivate var nanoseconds: Int64 { Int64(min(seconds, 1e9) * 1e9) }
}
