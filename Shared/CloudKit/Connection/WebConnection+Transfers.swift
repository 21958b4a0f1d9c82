internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1

extension WebConnection {
    /// An answer to a request to an address that needs no credentials.
    struct RawAnswer: Sendable {
        var status: Int
        var headers: HTTPHeaders
        var body: [UInt8]

        /// The error that the answer describes.
        var error: CKError {
            .answer(
                status: status, body: body, retryAfter: headers.first(name: "retry-after"),
                requestID: headers.first(name: "x-apple-request-uuid"))
        }
    }

    /// The largest answer that is not an asset, in bytes.
    private static let maxRawBytes = 1 << 20

    /// Sends a request to an address that needs no credentials, and reads its answer.
    ///
    /// - Parameter take: reads the body of an answer with the status 200 or 206 instead of this function.
    func exchange(
        _ request: HTTPClientRequest, isWrite: Bool,
        _ take: ((HTTPClientResponse) async throws -> Void)? = nil
    ) async throws(Attempt) -> RawAnswer {
        do {
            let response = try await client.execute(request, deadline: .distantFuture)
            let status = Int(response.status.code)
            guard let take, status == 200 || status == 206 else {
                let body = try await response.body.collect(upTo: Self.maxRawBytes)
                return RawAnswer(status: status, headers: response.headers, body: Array(body.readableBytesView))
            }
            try await take(response)
            return RawAnswer(status: status, headers: response.headers, body: [])
        } catch let error as CKError {
            throw Attempt(error: error)
        } catch {
            let fault = TransportFault(error)
            let isLost = fault.isLost || fault.kind == .timedOut
            throw Attempt(error: fault.error(url: place.url, isWrite: isWrite), isLost: isLost)
        }
    }

    /// Calls `attempt` until it succeeds. An interrupted transfer is continued as long as it makes progress.
    ///
    /// - Parameter standstill: how long it may make none.
    func transferring<Value>(
        _ position: TransferPosition, standstill: Duration, _ attempt: () async throws(Attempt) -> Value
    ) async throws(CKError) -> Value {
        while true {
            do throws(Attempt) {
                return try await attempt()
            } catch {
                let (failures, elapsed) = position.failed()
                guard
                    let delay = policy.delay(
                        after: failures, error.error, isLost: error.isLost, elapsed: elapsed,
                        patience: .until(standstill))
                else { throw error.error }
                try await policy.pause(delay)
            }
        }
    }
}
