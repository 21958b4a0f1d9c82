internal import AsyncHTTPClient
internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// Sends signed requests to a bucket. The body and the response of each request are held in memory. The
/// size of the response is limited.
struct S3Client: Sendable {
    let http: HTTPClient
    let address: S3Address
    let signature: SigV4
    var retries = S3Retries()

    /// Creates a client for the configured bucket.
    init(_ configuration: S3Configuration, http: HTTPClient) {
        self.http = http
        address = S3Address(configuration)
        signature = SigV4(
            accessKey: configuration.accessKey, secretKey: configuration.secretKey, region: configuration.region)
    }

    /// The configuration of the connections.
    static var connections: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(
            // A copy can take a long time during which no data is sent, so each request has its own time limit.
            redirectConfiguration: .disallow, timeout: HTTPClient.Configuration.Timeout(connect: .seconds(5)))
        configuration.httpVersion = .http1Only
        // This is enough for concurrent uploads and downloads. Further requests wait for a
        // connection until their time limits expire.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 128
        // `S3Retries` controls retries instead.
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }

    /// Sends a request, and retries it after transient failures within the limits of ``retries``.
    ///
    /// An attempt that has begun is completed even if the task is cancelled, so that its result is known.
    ///
    /// - Throws: ``S3Failure`` if there is no response, or if the response reports a failure.
    func send(_ request: S3Request) async throws(S3Failure) -> S3Answer {
        let clock = ContinuousClock()
        let end = clock.now + retries.limit
        var random = SystemRandomNumberGenerator()
        var attempts = 0
        while true {
            attempts += 1
            let number = attempts
            let limit = min(request.attemptLimit, retries.attemptLimit ?? request.attemptLimit)
            let work = Task { await attempt(request, number: number, limit: limit) }
            let alarm = http.eventLoopGroup.any().scheduleTask(in: TimeAmount(limit)) { work.cancel() }
            let result = await work.value
            alarm.cancel()
            switch result {
            case .success(let answer): return answer
            case .failure(var failure):
                failure.attempts = attempts
                let pause = retries.pause(afterAttempts: attempts, using: &random)
                guard failure.mayPass, attempts < retries.maxAttempts, clock.now + pause < end else { throw failure }
                do { try await clock.sleep(for: pause) } catch { throw failure }
            }
        }
    }

    private func attempt(
        _ request: S3Request, number: Int, limit: Duration
    ) async -> Result<S3Answer, S3Failure> {
        var failure = S3Failure(request: request.name)
        let response: HTTPClientResponse
        let body: ByteBuffer
        do {
            response = try await http.execute(message(request), deadline: .distantFuture)
            body = try await response.body.collect(upTo: request.maxAnswerBytes)
        } catch is NIOTooManyBytesError {
            failure.detail = "the response is larger than \(request.maxAnswerBytes) bytes"
            return .failure(failure)
        } catch {
            failure.detail = Task.isCancelled ? "no response within \(limit)" : Self.detail(error)
            failure.mayPass = true
            return .failure(failure)
        }
        failure.status = Int(response.status.code)
        failure.requestID = response.headers.first(name: "x-amz-request-id").map(Self.word)
        guard (200..<300).contains(response.status.code) else {
            failure.describe(S3Document(parsing: body.readableBytesView))
            failure.mayPass = S3Failure.passing.contains(Int(response.status.code))
            if let region = response.headers.first(name: "x-amz-bucket-region"), region != signature.region {
                failure.detail = "the bucket is in the region \(Self.word(region)) (asset.s3.region)"
            }
            return .failure(failure)
        }
        var document: S3Document?
        if request.isAnsweredByDocument {
            document = S3Document(parsing: body.readableBytesView)
            guard let document, document.name != "Error" else {
                failure.describe(document)
                failure.mayPass = failure.code.map { S3Failure.passingCodes.contains($0) } ?? false
                if document == nil { failure.detail = "the response is not a valid document" }
                return .failure(failure)
            }
        }
        return .success(S3Answer(headers: response.headers, body: body, document: document, attempts: number))
    }

    private func message(_ request: S3Request) -> HTTPClientRequest {
        let path = address.path(of: request.key)
        var message = HTTPClientRequest(url: address.url(path, query: request.query))
        message.method = request.method
        let hash = SigV4.hash(request.body.readableBytesView)
        let time = S3Time.Stamp(Date())
        let headers =
            request.headers + [("host", address.host), ("x-amz-content-sha256", hash), ("x-amz-date", time.text)]
        message.headers = HTTPHeaders(headers)
        message.headers.add(
            name: "authorization",
            value: signature.authorization(
                for: SigV4.Request(
                    method: request.method.rawValue, path: path, query: request.query, headers: headers,
                    payloadHash: hash),
                at: time))
        if request.body.readableBytes > 0 || request.method == .PUT || request.method == .POST {
            message.body = .bytes(request.body)
        }
        return message
    }

    /// Returns a description of a connection error. It contains no credentials, and no address except the endpoint's.
    private static func detail(_ error: any Error) -> String {
        switch error {
        case let error as HTTPClientError: error.shortDescription
        case let error as NIOConnectionError: "\(error.host):\(error.port) cannot be reached"
        default: String("\(error)".prefix(200))
        }
    }

    /// Returns a code or an id from a response, sanitized for the log.
    fileprivate static func word(_ text: String) -> String {
        String(text.prefix(80).filter { $0.isASCII && ($0.isLetter || $0.isNumber || "-_./+=".contains($0)) })
    }
}

extension S3Failure {
    /// Reads the code and the request id from the body of an error response.
    fileprivate mutating func describe(_ document: S3Document?) {
        guard let document, document.name == "Error" else { return }
        code = document["Code"].map(S3Client.word)
        requestID = requestID ?? document["RequestId"].map(S3Client.word)
    }
}
