import CloudKitModel
package import CloudKitWire

/// Why a request, or one item of it, did not succeed.
package enum RequestFailure: ReportableError, Sendable, Equatable {
    /// A service answered with an error.
    case refused(Refusal)
    /// No answer, or none that can be read: whether the request took effect is unknown.
    case unanswered(reason: String)
    /// What was to be sent, or what came, is not as it should be.
    case local(LocalFault, reason: String)

    /// What can be wrong on this side. The raw value is its code.
    package enum LocalFault: String, Sendable {
        /// A file cannot be read or written.
        case file = "FILE_ERROR"
        /// A file changed while it was uploaded.
        case assetFileModified = "ASSET_FILE_MODIFIED"
        /// Bytes that were sent or received do not have the checksum that the service told.
        case checksumMismatch = "CHECKSUM_MISMATCH"
        /// A field has no such asset, or the asset no address.
        case noAsset = "NO_ASSET"
    }

    /// An error as a service worded it.
    package struct Refusal: Sendable, Equatable {
        /// The protocol's `serverErrorCode`.
        package var code: String
        /// The text for people.
        package var reason: String
        /// The stable snake_case word, if any.
        package var reasonCode: String?
        /// The field or header at fault, if any.
        package var field: String?
        /// The limit that was crossed, if any.
        package var limit: Int64?
        /// The value met, if a limit was crossed.
        var actual: Int64?
        /// Seconds after which trying again makes sense, if it does.
        package var retryAfter: Int64?
        /// What to do about it, in a sentence.
        var hint: String?
        /// The request's id, by which the service's log knows it.
        var requestID: String?
        /// The record, zone or subscription, if one item failed.
        package var subject: String?
        /// The items at fault, if the request failed as a whole because of some.
        package var items: [Refusal] = []

        /// An error of this side, in the service's words.
        package init(code: String, reason: String) {
            self.code = code
            self.reason = reason
        }
    }

    /// What counts by code when nobody answered.
    static let noAnswerCode = "NO_ANSWER"

    /// Whether another attempt may go on where this one ended: nobody answered, or "later".
    package var isInterruption: Bool {
        switch self {
        case .refused(let refusal): refusal.retryAfter != nil
        case .unanswered: true
        case .local: false
        }
    }

    /// The code: the service's, `NO_ANSWER`, or that of a ``LocalFault``.
    package var code: String {
        switch self {
        case .refused(let refusal): refusal.code
        case .unanswered: Self.noAnswerCode
        case .local(let fault, _): fault.rawValue
        }
    }
}

extension RequestFailure.Refusal {
    /// The error that a whole answer or one item of it is; nil if it is none.
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
        // The other items of an atomic request only say that they were not saved either.
        items = (json["records"]?.array ?? []).compactMap { Self($0) }.filter { $0.code != "ATOMIC_ERROR" }
    }
}

extension RequestFailure: CustomStringConvertible {
    /// A line for people, and one for each item at fault: `note-1: CONFLICT: reason (change_tag_stale, field
    /// title, request 6a0f…). What to do`.
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

    /// The same as JSON, with the protocol's keys.
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
