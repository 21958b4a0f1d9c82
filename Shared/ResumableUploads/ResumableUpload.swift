/// The client's side of a resumable upload (draft-ietf-httpbis-resumable-upload, interop version 6): determines the
/// next request from the responses received so far. Because the first request has no body and its response contains the
/// upload's address, the HTTP client does not have to support interim responses.
package struct ResumableUpload: Sendable {
    /// A request.
    package struct Request: Sendable, Equatable {
        /// The HTTP method.
        package var method: String
        /// The address.
        package var url: String
        /// The headers.
        package var headers: [(String, String)]
        /// The offset in the file at which the body begins; nil for no body.
        package var bodyOffset: Int64?

        package static func == (left: Request, right: Request) -> Bool {
            left.method == right.method && left.url == right.url && left.bodyOffset == right.bodyOffset
                && left.headers.elementsEqual(right.headers, by: ==)
        }
    }

    private enum State {
        /// Sending the whole file in a single request.
        case plain
        case beginning
        /// Asking the service for the offset that it has reached.
        case asking(String)
        case sending(String, offset: Int64)
    }

    /// The number of unexpected responses after which the file is sent in one request.
    private static let maxSurprises = 3
    private static let version = ("upload-draft-interop-version", "6")

    private let ticket: String
    private let size: Int64
    private var state: State
    private var surprises = 0

    /// Creates an upload of `size` bytes. `ticket` is the address that the service issued for the upload.
    ///
    /// - Parameter remembered: the resumable upload's own address, if the upload was begun earlier.
    package init(ticket: String, size: Int64, isPlain: Bool, remembered: String? = nil) {
        self.ticket = ticket
        self.size = size
        state = isPlain ? .plain : remembered.map { .asking($0) } ?? .beginning
    }

    /// The resumable upload's own address; nil before it is known.
    package var address: String? {
        switch state {
        case .plain, .beginning: nil
        case .asking(let address), .sending(let address, _): address
        }
    }

    /// The next request.
    package var next: Request {
        switch state {
        case .plain:
            Request(
                method: "POST", url: ticket, headers: [("content-type", "application/octet-stream")], bodyOffset: 0)
        case .beginning:
            Request(
                method: "POST", url: ticket,
                headers: [
                    Self.version, ("upload-complete", "?0"), ("upload-length", String(size)),
                    ("content-type", "application/octet-stream"),
                ])
        case .asking(let address): Request(method: "HEAD", url: address, headers: [Self.version])
        case .sending(let address, let offset):
            Request(
                method: "PATCH", url: address,
                headers: [
                    Self.version, ("upload-complete", "?1"), ("upload-offset", String(offset)),
                    ("content-type", "application/partial-upload"),
                ], bodyOffset: offset)
        }
    }

    /// Records that a request was not answered.
    package mutating func wasCutOff() {
        if let address { state = .asking(address) }
    }

    private mutating func surprise(_ next: State) {
        surprises += 1
        state = surprises < Self.maxSurprises ? next : .plain
    }

    /// Records a response.
    ///
    /// - Returns: true if the response is final or asks for a later retry; false if ``next`` must be sent immediately.
    package mutating func take(status: Int, location: String?, offset: Int64?) -> Bool {
        // The service is temporarily unavailable.
        if status == 503 || status == 429 {
            wasCutOff()
            return true
        }
        switch state {
        case .plain: return true
        case .beginning:
            // If the service does not support resumable uploads or refuses this one, a plain upload follows.
            state = status == 201 ? location.map { .sending($0, offset: 0) } ?? .plain : .plain
            return false
        case .asking(let address):
            if (200..<300).contains(status), let offset, offset <= size {
                state = .sending(address, offset: offset)
            } else {
                state = .beginning
            }
            return false
        case .sending(let address, let sent):
            switch status {
            // The service expects a different offset. If it reports the offset that was just sent, the response is
            // final.
            case 409 where offset != nil && offset != sent:
                surprise(.asking(address))
                return false
            case 404:
                surprise(.beginning)
                return false
            default: return true
            }
        }
    }
}
