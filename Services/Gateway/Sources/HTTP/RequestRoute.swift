internal import CloudKitModel

/// The part of the gateway that answers requests to a path.
enum RequestRoute: Sendable {
    case endpoint(EndpointPath)
    case signIn
    /// The page that a share link opens.
    case link
    case courier
    case documents
    /// A path that no part of the gateway handles. The error is the response.
    case unknown(ServerError)

    /// Parses a path without its query. Empty components are ignored, because some clients write `//`.
    init(path: String) {
        let parts = path.utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) }
        switch parts.first {
        case "signin": self = .signIn
        case "share": self = .link
        case "courier" where parts.count == 1: self = .courier
        case "openapi.yaml" where parts.count == 1, "docs": self = .documents
        default:
            do throws(ServerError) {
                self = .endpoint(try EndpointPath(parts))
            } catch {
                self = .unknown(error)
            }
        }
    }

    /// The name in metrics and logs, with dots as in the names of operations. It is never the path itself, which
    /// clients can choose freely.
    var name: String {
        switch self {
        case .endpoint(let path): path.endpoint.dottedName
        case .signIn: "signin"
        case .link: "share"
        case .courier: "courier"
        case .documents: "documents"
        case .unknown: "unknown"
        }
    }

    /// The methods that the route accepts.
    var allow: String {
        switch self {
        case .endpoint(let path): path.endpoint.allow
        case .signIn, .link: "GET,POST"
        case .courier, .documents: "GET,OPTIONS"
        case .unknown: "GET,POST,OPTIONS"
        }
    }

    /// Returns the maximum size of a body after decompression, in bytes.
    ///
    /// - Parameter most: the maximum for all requests.
    func maxBodyBytes(_ most: Int) -> Int {
        switch self {
        case .endpoint(let path): min(most, path.endpoint.maxBodyBytes ?? most)
        case .signIn, .link, .courier, .documents, .unknown: min(most, FormFields.maxBytes)
        }
    }

    /// Whether pages from other origins can send requests and read responses. Routes that answer with pages do not
    /// allow this, because their pages use cookies.
    var isCrossOrigin: Bool { !isPage }

    /// Whether every response, even an error, is a page.
    var isPage: Bool {
        switch self {
        case .signIn, .link: true
        case .endpoint, .courier, .documents, .unknown: false
        }
    }
}
