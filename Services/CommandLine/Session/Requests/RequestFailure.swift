import CloudKitModel
package import CloudKitWire

/// The failure of a request or of one of its items.
package enum RequestFailure: ReportableError, Sendable, Equatable {
    /// A service answered with an error.
    case refused(Refusal)
    /// No valid answer arrived, so it is unknown whether the request took effect.
    case unanswered(reason: String)
    /// The client detected a fault in a file, in the data to be sent or in the data received.
    case local(LocalFault, reason: String)

    /// A fault on the client's side. The raw value is its code.
    package enum LocalFault: String, Sendable {
        /// A file cannot be read or written.
        case file = "FILE_ERROR"
        /// A file changed while it was being uploaded.
        case assetFileModified = "ASSET_FILE_MODIFIED"
        /// The checksum of the bytes sent or received differs from the service's checksum.
        case checksumMismatch = "CHECKSUM_MISMATCH"
        /// The field has no such asset, or the asset has no address.
        case noAsset = "NO_ASSET"
    }

    /// An error in a service's answer.
    package struct Refusal: Sendable, Equatable {
        /// The protocol's `serverErrorCode`.
        package var code: String
        /// The description.
        package var reason: String
        /// The stable reason code in snake_case, if any.
        package var reasonCode: String?
        /// The field or header at fault, if any.
        package var field: String?
        /// The limit that was exceeded, if any.
        package var limit: Int64?
        /// The actual value, if a limit was exceeded.
        var actual: Int64?
        /// The number of seconds after which to retry; nil if a retry is pointless.
        package var retryAfter: Int64?
        /// Advice, as a sentence.
        var hint: String?
        /// The request's id, which is also in the service's log.
        var requestID: String?
        /// The record, zone or subscription, if one item failed.
        package var subject: String?
        /// The items that caused the failure, if the request failed as a whole.
        package var items: [Refusal] = []

        /// Creates an error that the client detected.
        package init(code: String, reason: String) {
            self.code = code
            self.reason = reason
        }
    }

    /// The code of a failure without an answer.
    static let noAnswerCode = "NO_ANSWER"

    /// Whether a retry might succeed: there was no answer, or the service answered "try again later".
    package var isInterruption: Bool {
        switch self {
        case .refused(let refusal): refusal.retryAfter != nil
        case .unanswered: true
        case .local: false
        }
    }

    /// The service's code, `NO_ANSWER`, or the code of a ``LocalFault``.
    package var code: String {
        switch self {
        case .refused(let refusal): refusal.code
        case .unanswered: Self.noAnswerCode
        case .local(let fault, _): fault.rawValue
        }
    }
}

extension RequestFailure.Refusal {
    /// Parses an answer or one of its items; returns nil if it is not an error.
    package init?(_ json: JSONValue) {
        guard let code = json["serverErrorCode"]?.string else { return nil }
        self.code = code
        reason = json["reason"]?.string ?? "no reason given"
        reasonCode = json["reasonCode"]?.string
        field = json["field"]?.string
        limit = json["limit"]?.int
        actual = json["actual"]?.int
        retryAfter = json["retryAfter"]?.int
        hint = json["hint"]?.string
        requestID = json["uuid"]?.string ?? json["requestID"]?.string
        subject = json["recordName"]?.string ?? json["zoneID"]?["zoneName"]?.string ?? json["subscriptionID"]?.string
        // In an atomic request, the errors of the other items report only that these items were not saved either.
        items = (json["records"]?.array ?? []).compactMap { Self($0) }.filter { $0.code != "ATOMIC_ERROR" }
    }
}

extension RequestFailure: CustomStringConvertible {
    /// A line of text, such as `note-1: CONFLICT: reason (change_tag_stale, field title, request 6a0f…). Advice`,
    /// followed by a line for each item at fault.
    package var description: String {
        switch self {
        case .unanswered(let reason), .local(_, let reason): return "\(code): \(reason)"
        case .refused(let refusal):
            var notes: [String] = []
            if let word = refusal.reasonCode { notes.append(word) }
            if let field = refusal.field { notes.append("field \(field)") }
            if let limit = refusal.limit { notes.append("limit \(limit)") }
            if let actual = refusal.actual { notes.append("actual \(actual)") }
            if let seconds = refusal.retryAfter { notes.append("retry after \(seconds) s") }
            if let id = refusal.requestID { notes.append("request \(id)") }
            let subject = refusal.subject.map { "\($0): " } ?? ""
            return "\(subject)\(refusal.code): \(refusal.reason)"
                + (notes.isEmpty ? "" : " (\(notes.joined(separator: ", ")))")
                + (refusal.hint.map { ". \($0)" } ?? "")
                + refusal.items.map { "\n  \(RequestFailure.refused($0))" }.joined()
        }
    }

    /// The failure as JSON, with the protocol's keys.
    package var json: JSONValue {
        switch self {
        case .unanswered(let reason), .local(_, let reason):
            return ["serverErrorCode": .string(code), "reason": .string(reason)]
        case .refused(let refusal):
            return .object(having: [
                ("subject", refusal.subject.map { .string($0) }),
                ("serverErrorCode", .string(refusal.code)),
                ("reason", .string(refusal.reason)),
                ("reasonCode", refusal.reasonCode.map { .string($0) }),
                ("field", refusal.field.map { .string($0) }),
                ("limit", refusal.limit.map { .int($0) }),
                ("actual", refusal.actual.map { .int($0) }),
                ("retryAfter", refusal.retryAfter.map { .int($0) }),
                ("hint", refusal.hint.map { .string($0) }),
                ("uuid", refusal.requestID.map { .string($0) }),
                ("items", refusal.items.isEmpty ? nil : .array(refusal.items.map { RequestFailure.refused($0).json })),
            ])
        }
    }
}
