internal import CloudKitModel

/// Which part of the gateway a path leads to.
enum RequestRoute: Sendable {
    case endpoint(EndpointPath)
    case signIn
    case courier
    case documents
    /// None, and what is told about it.
    case nowhere(ServerError)

    /// Reads a path without its query. Empty parts do not count: some clients write `//`.
    init(path: String) {
        let parts = path.utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) }
        switch parts.first {
        case "signin": self = .signIn
        case "courier" where parts.count == 1: self = .courier
        case "openapi.yaml" where parts.count == 1, "docs": self = .documents
        default:
            do throws(ServerError) {
                self = .endpoint(try EndpointPath(parts))
            } catch {
                self = .nowhere(error)
            }
        }
    }

    /// For metrics and logs, in which operations have dots: never the path itself, which anybody may make up.
    var name: String {
        switch self {
        case .endpoint(let path): path.endpoint.dottedName
        case .signIn: "signin"
        case .courier: "courier"
        case .documents: "documents"
        case .nowhere: "unknown"
        }
    }

    /// The methods by which it may be asked.
    var allow: String {
        switch self {
        case .endpoint(let path): path.endpoint.allow
        case .signIn: "GET,POST"
        case .courier, .documents: "GET,OPTIONS"
        case .nowhere: "GET,POST,OPTIONS"
        }
    }

    /// How long a request's body may be, inflated, in bytes.
    ///
    /// - Parameter most: the limit of all requests.
    func maxBodyBytes(_ most: Int) -> Int {
        switch self {
        case .endpoint(let path): min(most, path.endpoint.maxBodyBytes ?? most)
        case .signIn, .courier, .documents, .nowhere: min(most, FormFields.maxBytes)
        }
    }

    /// Whether pages of other origins may ask and read the answer. Sign-in has cookies.
    var isCrossOrigin: Bool { if case .signIn = self { false } else { true } }
}
