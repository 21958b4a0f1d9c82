internal import BlobStorage
internal import CloudKitModel
internal import CoreMetrics
internal import HTTPServing
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import Metrics
internal import NIOCore
internal import RequestServing
internal import ServiceMessages
internal import ServiceRuntime

/// Answers uploads and downloads over HTTP, including requests from pages of any origin. Errors are rendered as JSON
/// (web-services 2.2).
///
/// Paths are credentials and are never logged.
struct AssetResponder: HTTPResponder {
    private static let crossOrigin = CrossOrigin(
        .any,
        exposedHeaders: "Accept-Ranges,Content-Disposition,Content-Length,Content-Range,ETag,Location,Upload-Complete,"
            + "Upload-Draft-Interop-Version,Upload-Incomplete,Upload-Limit,Upload-Offset,X-Apple-Request-UUID",
        requestHeaders: "*")

    var uploads: UploadRoute
    let downloads: DownloadRoute
    let metrics: AssetMetrics
    let logger: Logger

    func respond(to request: Request, context: AssetRequestContext) async throws -> Response {
        let origin = RequestOrigin(request.headers)
        var response = await WorkOrigin.$current.withValue(origin.work) {
            await answer(request, context, requestID: origin.requestID)
        }
        Self.crossOrigin.allow(request.headers[.origin], in: &response.headers)
        response.headers[.requestUUID] = origin.requestID
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func answer(_ request: Request, _ context: AssetRequestContext, requestID: String) async -> Response {
        let began = ContinuousClock.now
        let name = Self.routeName(of: request)
        var response: Response
        do {
            response = try await route(request, context)
        } catch {
            let conflict = error as? UploadConflict
            let error = serverError(of: error)
            metrics.httpErrors[.init(route: name, code: error.code)].increment()
            response = refusal(error, requestID: requestID)
            if let conflict { response.headers.append(contentsOf: conflict.fields) }
            if [.post, .put, .patch].contains(request.method) { Self.endConnection(&response, context.channel) }
        }
        let time = ContinuousClock.now - began
        metrics.httpRequests[.init(route: name, status: response.status.code)].increment()
        metrics.httpSeconds[name].record(duration: time)
        logger.debug(
            "answered",
            metadata: [
                "operation": "\(name)", "status": "\(response.status.code)", "seconds": "\(time / .seconds(1))",
            ])
        return response
    }

    private func route(_ request: Request, _ context: AssetRequestContext) async throws -> Response {
        let parts = request.uri.path.split(separator: "/")
        switch (parts.first.map(String.init), parts.count) {
        case (AssetURL.uploadPath, 2...3):
            let allowed = parts.count == 2 ? "POST,PUT,OPTIONS" : "HEAD,PATCH,DELETE,OPTIONS"
            if request.method != .options,
                let response = try await uploads.respond(to: request, path: Array(parts[1...]), on: context.channel)
            {
                return response
            }
            var response = Self.options(request, allowed: allowed)
            response.headers[.uploadLimit] = uploads.resumable?.limit
            return response
        case (AssetURL.downloadPath, 2...):
            switch request.method {
            case .get, .head:
                return try await downloads.respond(
                    to: request, grant: parts[1], lastPart: parts.count > 2 ? parts[parts.count - 1] : "",
                    on: context.channel)
            default: return Self.options(request, allowed: "GET,HEAD,OPTIONS")
            }
        default:
            throw ServerError(.pathUnknown, "could not find a handler for this path", field: "url")
        }
    }

    /// Returns the route's name for metrics and logs. It is never the path, which clients can choose freely.
    private static func routeName(of request: Request) -> String {
        switch request.uri.path.split(separator: "/").first.map(String.init) {
        case AssetURL.uploadPath: AssetURL.uploadPath
        case AssetURL.downloadPath: AssetURL.downloadPath
        default: "unknown"
        }
    }

    /// Returns the response to a preflight, or to a method that is not allowed.
    private static func options(_ request: Request, allowed: String) -> Response {
        Response(
            status: request.method == .options ? .ok : .methodNotAllowed,
            headers: crossOrigin.preflight(request.headers, allow: allowed))
    }

    private func serverError(of error: any Error) -> ServerError {
        switch error {
        case let error as ServerError: return error
        case let conflict as UploadConflict: return conflict.error
        case let error as BlobStoreError:
            logger.error("the blob store is failing", metadata: ["error": "\(error)"])
            return .of(error)
        case is ServiceStopping, is CancellationError: return .serviceEnding()
        default:
            logger.error("a request failed unexpectedly", metadata: ["error": "\(error.logDescription)"])
            return .internalError()
        }
    }

    private func refusal(_ error: ServerError, requestID: String) -> Response {
        let answer = ErrorAnswer(error, requestID: requestID)
        let isTooLarge = error.ckErrorCode == CKErrorCode.limitExceeded.rawValue
        return Response(
            status: HTTPResponse.Status(code: isTooLarge ? 413 : answer.status), headers: answer.headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
    }

    /// Closes the connection after the response, because the body of a refused upload is not read and the client may
    /// still be sending it.
    private static func endConnection(_ response: inout Response, _ channel: any Channel) {
        response.headers[.connection] = "close"
        let body = response.body
        response.body = ResponseBody(contentLength: body.contentLength) { writer in
            try await body.write(writer)
            channel.closeAfterLingering()
        }
    }
}
