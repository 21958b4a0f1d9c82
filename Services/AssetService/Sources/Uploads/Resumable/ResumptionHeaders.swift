internal import CloudKitModel
internal import HTTPTypes

/// The headers of a request for a resumable upload (draft-ietf-httpbis-resumable-upload).
struct ResumptionHeaders: Sendable, Equatable {
    /// A version of the draft that Apple's clients use. The versions differ on the wire.
    enum Version: Int, Sendable {
        case v3 = 3
        case v5 = 5
        case v6 = 6
    }

    let version: Version
    /// Whether the upload ends with this request; nil if the header is missing.
    let isComplete: Bool?
    /// The offset of the body in the upload, in bytes.
    let offset: Int64?
    /// The announced length of the whole upload, in bytes.
    let length: Int64?

    /// Reads the headers of a request that might begin a resumable upload. The result is nil if the request does not
    /// use the protocol or uses an unknown version. The request is then treated as an ordinary upload, which the draft
    /// allows.
    ///
    /// - Throws: `upload_header_invalid`.
    init?(creating headers: HTTPFields) throws(ServerError) {
        guard let text = headers[.uploadDraftInteropVersion], let version = Int(text).flatMap(Version.init(rawValue:))
        else {
            // An ordinary upload must be complete.
            guard try Self.boolean(headers, .uploadComplete) != false,
                try Self.boolean(headers, .uploadIncomplete) != true
            else { throw .uploadHeaderInvalid(.uploadDraftInteropVersion, "must be 3, 5 or 6") }
            return nil
        }
        try self.init(headers, version)
        if isComplete == nil { return nil }
    }

    /// Reads the headers of a request to an upload's own URL. Such a request may omit the version.
    ///
    /// - Throws: `upload_header_invalid`.
    init(resuming headers: HTTPFields) throws(ServerError) {
        guard let version = Version(rawValue: Int(headers[.uploadDraftInteropVersion] ?? "6") ?? 0) else {
            throw .uploadHeaderInvalid(.uploadDraftInteropVersion, "must be 3, 5 or 6")
        }
        try self.init(headers, version)
    }

    private init(_ headers: HTTPFields, _ version: Version) throws(ServerError) {
        self.version = version
        if version == .v3 {
            isComplete = try Self.boolean(headers, .uploadIncomplete).map { !$0 }
        } else {
            isComplete = try Self.boolean(headers, .uploadComplete)
        }
        offset = try Self.number(headers, .uploadOffset)
        length = try Self.number(headers, .uploadLength)
    }

    /// Returns the headers of a response.
    func fields(offset: Int64, isComplete: Bool) -> HTTPFields {
        var fields: HTTPFields = [
            .uploadDraftInteropVersion: String(version.rawValue), .uploadOffset: String(offset),
            .cacheControl: "no-store",
        ]
        if version == .v3 {
            fields[.uploadIncomplete] = isComplete ? "?0" : "?1"
        } else {
            fields[.uploadComplete] = isComplete ? "?1" : "?0"
        }
        return fields
    }

    /// Parses a structured-field Boolean (RFC 9651).
    private static func boolean(_ headers: HTTPFields, _ name: HTTPField.Name) throws(ServerError) -> Bool? {
        switch headers[name] {
        case nil: nil
        case "?1": true
        case "?0": false
        default: throw .uploadHeaderInvalid(name, "must be ?0 or ?1")
        }
    }

    private static func number(_ headers: HTTPFields, _ name: HTTPField.Name) throws(ServerError) -> Int64? {
        guard let text = headers[name] else { return nil }
        // Integers in structured fields have at most 15 digits.
        guard text.utf8.count <= 15, let number = Int64(text), number >= 0 else {
            throw .uploadHeaderInvalid(name, "must be a number of bytes")
        }
        return number
    }
}

extension HTTPField.Name {
    static let uploadDraftInteropVersion = known("Upload-Draft-Interop-Version")
    static let uploadComplete = known("Upload-Complete")
    static let uploadIncomplete = known("Upload-Incomplete")
    static let uploadOffset = known("Upload-Offset")
    static let uploadLength = known("Upload-Length")
    static let uploadLimit = known("Upload-Limit")
    static let reprDigest = known("Repr-Digest")
    static let contentDigest = known("Content-Digest")
    static let contentMD5 = known("Content-MD5")

    private static func known(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else { preconditionFailure("'\(name)' is not a header name") }
        return name
    }
}
