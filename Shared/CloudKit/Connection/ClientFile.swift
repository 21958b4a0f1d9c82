internal import CloudKitModel
internal import CloudKitWire

/// The file with the address of the gateway and the session of the user, which the user's processes share:
///
/// ```json
/// {"url": "https://zonda.example.org", "container": "iCloud.org.example.Notes", "environment": "production",
///  "containers": {"iCloud.org.example.Notes": {"apiToken": "…", "webAuthToken": "…", "userRecordName": "_…"}}}
/// ```
///
/// Each container may also have a `url`, an `environment`, and `keyID` with `keyFile` in place of the tokens.
/// `certificateFile` names a PEM file with the trusted certificates. Unknown keys are kept.
struct ClientFile: Sendable {
    /// The largest file that is read, in bytes.
    static let maxBytes = 1 << 20

    /// The content.
    private(set) var json: JSONValue

    /// Creates an empty file.
    init() { json = [:] }

    /// Reads the file at `path`.
    ///
    /// - Throws: ``CKError/Code/notAuthenticated`` if the file cannot be read or is not a JSON object.
    init(readingFrom path: String) throws(CKError) {
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw CKError(.notAuthenticated, "The file \(path) cannot be read.", underlying: error)
        }
        guard data.count <= Self.maxBytes else {
            throw CKError(.notAuthenticated, "The file \(path) is larger than \(Self.maxBytes) bytes.")
        }
        do {
            json = try JSONValue(parsing: Array(data))
        } catch {
            throw CKError(
                .notAuthenticated, "The file \(path) is invalid. \(error.reason). Correct it, or sign in again.")
        }
        guard json.members != nil else {
            throw CKError(.notAuthenticated, "The file \(path) is not a JSON object. Correct it, or sign in again.")
        }
    }

    /// The identifier of the default container.
    var container: String? { json["container"]?.string }

    /// Returns a setting of a container, or otherwise the file's.
    func setting(_ key: String, of container: String) -> String? {
        json["containers"]?[container]?[key]?.string ?? json[key]?.string
    }

    /// Returns a credential of a container, which has no default.
    func credential(_ key: String, of container: String) -> String? { json["containers"]?[container]?[key]?.string }

    /// Sets a credential of a container.
    mutating func set(_ key: String, of container: String, to value: String?) {
        var containers = json["containers"] ?? [:]
        var entry = containers[container] ?? [:]
        entry.set(key, to: value.map { .string($0) })
        containers.set(container, to: entry)
        json.set("containers", to: containers)
    }
}

extension JSONValue {
    /// Sets or removes a member of an object.
    fileprivate mutating func set(_ key: String, to value: JSONValue?) {
        var members = (members ?? []).filter { $0.key != key }
        if let value { members.append(Member(key, value)) }
        self = .object(members)
    }
}
