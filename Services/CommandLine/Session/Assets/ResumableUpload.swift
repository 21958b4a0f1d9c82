/// The client's side of an upload that may be resumed (draft-ietf-httpbis-resumable-upload, interop version 6): which
/// request comes next, after what has been answered. It is begun by a request without bytes, whose answer tells the
/// upload's own address: an HTTP client need not know of interim answers for that.
struct ResumableUpload: Sendable {
    /// A request.
    struct Request: Sendable, Equatable {
        var method: String
        var url: String
        var headers: [(String, String)]
        /// Where the body begins in the file; nil: there is none.
        var bodyOffset: Int64?

        static func == (left: Request, right: Request) -> Bool {
            left.method == right.method && left.url == right.url && left.bodyOffset == right.bodyOffset
                && left.headers.elementsEqual(right.headers, by: ==)
        }
    }

    private enum State {
        /// All of it in one request.
        case plain
        case beginning
        /// How far it came is not known.
        case asking(String)
        case sending(String, offset: Int64)
    }

    /// After so many surprises it is sent in one piece.
    private static let maxSurprises = 3
    private static let version = ("upload-draft-interop-version", "6")

    private let ticket: String
    private let size: Int64
    private var state: State
    private var surprises = 0

    /// An upload of `size` bytes to a ticket's address.
    ///
    /// - Parameter remembered: the upload's own address, when it was begun earlier.
    init(ticket: String, size: Int64, isPlain: Bool, remembered: String? = nil) {
        self.ticket = ticket
        self.size = size
        state = isPlain ? .plain : remembered.map { .asking($0) } ?? .beginning
    }

    /// The upload's own address; nil when it has none.
    var address: String? {
        switch state {
        case .plain, .beginning: nil
        case .asking(let address), .sending(let address, _): address
        }
    }

    /// What is to be sent now.
    var next: Request {
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

    /// No answer came.
    mutating func wasCutOff() {
        if let address { state = .asking(address) }
    }

    private mutating func surprise(_ next: State) {
        surprises += 1
        state = surprises < Self.maxSurprises ? next : .plain
    }

    /// An answer came.
    ///
    /// - Returns: whether it is the upload's; otherwise there is a next request.
    mutating func take(status: Int, location: String?, offset: Int64?) -> Bool {
        // "Later", for whichever request.
        if status == 503 || status == 429 {
            wasCutOff()
            return true
        }
        switch state {
        case .plain: return true
        case .beginning:
            // A service that cannot do it, or that has something against this upload, says so to a plain one too.
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
            // It is elsewhere than was thought; twice the same place is an answer.
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
